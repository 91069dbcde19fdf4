/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of aclnnCrossEntropyLoss. */
#ifndef ACLNN_CROSS_ENTROPY_LOSS_GRAD_H_
#define ACLNN_CROSS_ENTROPY_LOSS_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With p = exp(logProb), s = labelSmoothing, t = target[n] and g = gradLoss[n], which "mean"
 * divides by the sum of the weights of all targets: out[n, c] = g ((1 - s) weight[t] (p[n, c] - [c
 * = t]) + s / C (p[n, c] sum(weight) - weight[c])), or 0 where t is ignoreIndex.
 *
 * - gradLoss: (N) with "none", else one element; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - logProb: (N, C), what the forward pass gave.
 * - target: classes, INT64, INT32 or UINT8; (N).
 * - weightOptional: (C); NULL: 1 for every class.
 * - gradZlossOptional, lseForZlossOptional: of the z-loss, which there is none of: the first must
 *   be NULL.
 * - reductionOptional, ignoreIndex, labelSmoothing, lseSquareScaleForZloss: as in the forward
 *   pass.
 * - out: (N, C); may be logProb.
 *
 * A target that is neither a class nor ignoreIndex is not followed: it counts as ignored, and the
 * stream's error is ACL_ERROR_RT_AICORE_EXCEPTION, whose text has its position and value. */
ACLNN_API aclnnStatus aclnnCrossEntropyLossGradGetWorkspaceSize(
    const aclTensor *gradLoss, const aclTensor *logProb, const aclTensor *target,
    const aclTensor *weightOptional, const aclTensor *gradZlossOptional,
    const aclTensor *lseForZlossOptional, char *reductionOptional, int64_t ignoreIndex,
    double labelSmoothing, double lseSquareScaleForZloss, const aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCrossEntropyLossGrad(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
