/* SPDX-License-Identifier: Apache-2.0 */
/* Adam on lists of tensors. */
#ifndef OP_API_INC_FUSED_ADAM_H_
#define OP_API_INC_FUSED_ADAM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One step of Adam for each place of the lists: t = stateSteps + 1, g = gradsRef /
 * gradScaleOptional, -g if maximize is true,
 * g += weightDecay paramsRef, m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g g,
 * paramsRef -= lr m / (1 - beta1^t) / (sqrt(top / (1 - beta2^t)) + eps),
 * where top is v, or, with amsgrad, the larger of v and maxExpAvgSqsRef, which it becomes. Where
 * foundInfOptional is 1 nothing is written.
 *
 * - paramsRef, gradsRef, expAvgsRef (m), expAvgSqsRef (v): lists of one length; FLOAT, FLOAT16,
 *   BF16 or DOUBLE, all the same type, each place of one shape. Half types are computed in FLOAT
 *   and rounded once.
 * - maxExpAvgSqsRef: likewise where amsgrad is true; else it may be NULL and is left alone.
 * - stateSteps: of their length, FLOAT or INT64; of each the first element counts. They stay.
 * - gradScaleOptional, foundInfOptional: NULL or one element.
 * - gradsRef becomes gradsRef / gradScaleOptional, if that is given. */
ACLNN_API aclnnStatus aclnnFusedAdamGetWorkspaceSize(
    const aclTensorList *paramsRef, const aclTensorList *gradsRef, const aclTensorList *expAvgsRef,
    const aclTensorList *expAvgSqsRef, const aclTensorList *maxExpAvgSqsRef,
    const aclTensorList *stateSteps, const aclTensor *gradScaleOptional,
    const aclTensor *foundInfOptional, double lr, double beta1, double beta2, double weightDecay,
    double eps, bool amsgrad, bool maximize, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFusedAdam(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
