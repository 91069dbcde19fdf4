/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of batch normalisation. */
#ifndef OP_API_INC_BATCH_NORM_BACKWARD_H_
#define OP_API_INC_BATCH_NORM_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With xhat = (input - saveMean) saveInvstd and n elements in a channel: gradInput = weight
 * saveInvstd (gradOut - sum(gradOut) / n - xhat sum(gradOut xhat) / n), gradWeight = sum(gradOut
 * xhat), gradBias = sum(gradOut). Without training: xhat = (input - runningMean) / sqrt(runningVar
 * + eps), gradInput = weight gradOut / sqrt(runningVar + eps).
 *
 * - gradOut, input: (N, C, ...), 2 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE. The channels
 *   are the second axis, or the last of formats NHWC and NDHWC.
 * - weight: (C); NULL: 1.
 * - runningMean, runningVar, saveMean, saveInvstd: (C); the last two may be empty without
 *   training. Means that are NULL are 0, the others 1.
 * - training, eps: as in the forward pass.
 * - outputMask: three flags: which of the results are wanted.
 * - gradInput: of input's shape; may be gradOut or input. May be NULL if it is not wanted, as the
 *   others.
 * - gradWeight, gradBias: (C). */
ACLNN_API aclnnStatus aclnnBatchNormBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *input, const aclTensor *weight,
    const aclTensor *runningMean, const aclTensor *runningVar, const aclTensor *saveMean,
    const aclTensor *saveInvstd, bool training, double eps, const aclBoolArray *outputMask,
    aclTensor *gradInput, aclTensor *gradWeight, aclTensor *gradBias, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchNormBackward(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
