/* SPDX-License-Identifier: Apache-2.0 */
/* A step of AdamW whose numbers are tensors. */
#ifndef OP_API_INC_APPLY_ADAM_W_H_
#define OP_API_INC_APPLY_ADAM_W_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With g = grad, or -grad if maximize: m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g g,
 * with amsgrad v = max(maxGradNorm, v) afterwards, and var = (1 - lr weightDecay) var - lr m / (1
 * - beta1Power beta1) / (sqrt(v) / sqrt(1 - beta2Power beta2) + eps). FLOAT16 and BF16 are
 * computed in FLOAT and rounded once.
 *
 * - varRef, mRef, vRef, grad: of one shape; FLOAT, FLOAT16, BF16 or DOUBLE each.
 * - beta1Power, beta2Power: one element each: the betas to the power of the steps before this one.
 * - lr, weightDecay, beta1, beta2, eps: one element each. FLOAT, FLOAT16, BF16, DOUBLE, INT32 or
 *   INT64; read when the work runs.
 * - maxGradNormOptional: of varRef's shape; NULL without amsgrad. It is only read.
 * - amsgrad, maximize: see above. */
ACLNN_API aclnnStatus aclnnApplyAdamWGetWorkspaceSize(
    aclTensor *varRef, aclTensor *mRef, aclTensor *vRef, const aclTensor *beta1Power,
    const aclTensor *beta2Power, const aclTensor *lr, const aclTensor *weightDecay,
    const aclTensor *beta1, const aclTensor *beta2, const aclTensor *eps, const aclTensor *grad,
    const aclTensor *maxGradNormOptional, bool amsgrad, bool maximize, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnApplyAdamW(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
