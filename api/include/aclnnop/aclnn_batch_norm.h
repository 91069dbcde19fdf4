/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation. */
#ifndef OP_API_INC_BATCH_NORM_H_
#define OP_API_INC_BATCH_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* output = (input - mean) invstd weight + bias for each channel, as
 * torch.nn.functional.batch_norm. training: mean and variance are those of all elements of the
 * channel, invstd = 1 / sqrt(variance + eps), and runningMean becomes (1 - momentum) runningMean +
 * momentum mean, runningVar the same with the variance of a sample (n - 1). Else mean and variance
 * are runningMean and runningVar. Computed in double, rounded once.
 *
 * - input: (N, C, ...), 2 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE. The channels are the
 *   second axis, or the last of formats NHWC and NDHWC.
 * - weight, bias: (C), of any of these types; NULL: 1 and 0.
 * - runningMean, runningVar: (C); read, and in training written. NULL: not wanted in training, 0
 * and 1 else.
 * - training, momentum, eps: see above.
 * - output: of input's shape; may be input.
 * - saveMean, saveInvstd: (C): mean and invstd; written in training alone; NULL: not wanted. */
ACLNN_API aclnnStatus aclnnBatchNormGetWorkspaceSize(
    const aclTensor *input, const aclTensor *weight, const aclTensor *bias, aclTensor *runningMean,
    aclTensor *runningVar, bool training, double momentum, double eps, aclTensor *output,
    aclTensor *saveMean, aclTensor *saveInvstd, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchNorm(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
