/* SPDX-License-Identifier: Apache-2.0 */
/* Cross entropy of classes. */
#ifndef ACLNN_CROSS_ENTROPY_LOSS_H_
#define ACLNN_CROSS_ENTROPY_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* logProbOut = log_softmax(input) along the classes, and, with s = labelSmoothing and t =
 * target[n], loss[n] = -(1 - s) weight[t] logProb[n, t] - s / C sum(weight logProb[n]), as
 * torch.nn.functional.cross_entropy. Where t is ignoreIndex loss[n] is 0 and its weight too.
 *
 * - input: (N, C); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - target: classes, INT64, INT32 or UINT8; (N).
 * - weightOptional: (C), of any of input's types; NULL: 1 for every class.
 * - reductionOptional: "mean": the sum divided by the sum of the weights of all targets; "sum";
 *   "none": every loss. NULL is "mean".
 * - ignoreIndex: the class that does not count; it need not be one.
 * - labelSmoothing: from 0 to 1.
 * - lseSquareScaleForZloss: must be 0: there is no z-loss.
 * - returnZloss: must be false.
 * - lossOut: (N) with "none", else one element.
 * - logProbOut: (N, C); may be input.
 * - zlossOut, lseForZlossOut: not touched; may be NULL.
 *
 * A target that is neither a class nor ignoreIndex is not followed: it counts as ignored, and the
 * stream's error is ACL_ERROR_RT_AICORE_EXCEPTION, whose text has its position and value. */
ACLNN_API aclnnStatus aclnnCrossEntropyLossGetWorkspaceSize(
    const aclTensor *input, const aclTensor *target, const aclTensor *weightOptional,
    char *reductionOptional, int64_t ignoreIndex, double labelSmoothing,
    double lseSquareScaleForZloss, bool returnZloss, const aclTensor *lossOut,
    const aclTensor *logProbOut, const aclTensor *zlossOut, const aclTensor *lseForZlossOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCrossEntropyLoss(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
