/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation with given statistics. */
#ifndef OP_API_INC_BATCH_NORM_ELEMT_H_
#define OP_API_INC_BATCH_NORM_ELEMT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* output = (input - mean) invstd weight + bias for each channel, as torch.batch_norm_elemt.
 *
 * - input: (N, C, ...), 2 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - weight, bias: (C); NULL: 1 and 0.
 * - mean, invstd: (C).
 * - eps: not used: invstd has it.
 * - output: of input's shape; may be input. */
ACLNN_API aclnnStatus aclnnBatchNormElemtGetWorkspaceSize(
    const aclTensor *input, const aclTensor *weight, const aclTensor *bias, aclTensor *mean,
    aclTensor *invstd, double eps, aclTensor *output, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchNormElemt(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
