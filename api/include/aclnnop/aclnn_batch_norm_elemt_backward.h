/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of batch normalisation over several devices. */
#ifndef OP_API_INC_BATCH_NORM_ELEMT_BACKWARD_H_
#define OP_API_INC_BATCH_NORM_ELEMT_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = (gradOut - sumDy / n - (input - mean) invstd^2 sumDyXmu / n) invstd weight for each
 * channel, n the sum of counter, as torch.batch_norm_backward_elemt.
 *
 * - gradOut, input: (N, C, ...), 2 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - mean, invstd, sumDy, sumDyXmu: (C).
 * - weight: (C); NULL: 1.
 * - counter: elements of a channel on each device; any shape; INT32, INT64 or a floating type.
 * - gradInput: of input's shape; may be gradOut or input. */
ACLNN_API aclnnStatus aclnnBatchNormElemtBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *input, const aclTensor *mean,
    const aclTensor *invstd, const aclTensor *weight, const aclTensor *sumDy,
    const aclTensor *sumDyXmu, aclTensor *counter, aclTensor *gradInput, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchNormElemtBackward(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
