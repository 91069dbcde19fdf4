/* SPDX-License-Identifier: Apache-2.0 */
/* Sums for the gradients of batch normalisation. */
#ifndef OP_API_INC_LEVEL2_ACLNN_BATCH_NORM_BACKWARD_REDUCE_H_
#define OP_API_INC_LEVEL2_ACLNN_BATCH_NORM_BACKWARD_REDUCE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For each channel: sumDy = gradBias = sum(gradOut), sumDyXmu = sum(gradOut (input - mean)),
 * gradWeight = sumDyXmu invstd, as torch.batch_norm_backward_reduce.
 *
 * - gradOut, input: (N, C, ...), 2 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - mean, invstd: (C).
 * - weight: (C); not read; may be NULL.
 * - inputG: whether sumDy and sumDyXmu are wanted; weightG: gradWeight; biasG: gradBias.
 * - sumDy, sumDyXmu, gradWeight, gradBias: (C); may be NULL if they are not wanted. */
ACLNN_API aclnnStatus aclnnBatchNormReduceBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *input, const aclTensor *mean,
    const aclTensor *invstd, const aclTensor *weight, const bool inputG, const bool weightG,
    const bool biasG, aclTensor *sumDy, aclTensor *sumDyXmu, aclTensor *gradWeight,
    aclTensor *gradBias, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchNormReduceBackward(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
