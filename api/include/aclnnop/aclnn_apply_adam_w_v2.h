/* SPDX-License-Identifier: Apache-2.0 */
/* A step of AdamW, the step's count as a tensor. */
#ifndef OP_API_INC_APPLY_ADAM_W_V2_H_
#define OP_API_INC_APPLY_ADAM_W_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With g = grad, or -grad if maximize, and t = step + 1: m = beta1 m + (1 - beta1) g, v = beta2 v
 * + (1 - beta2) g g, and var = (1 - lr weightDecay) var - lr m / (1 - beta1^t) / (sqrt(v) / sqrt(1
 * - beta2^t) + eps), as a step of torch.optim.AdamW. amsgrad: maxGradNorm becomes max(maxGradNorm,
 * v) and stands for v in the last formula. FLOAT16 and BF16 are computed in FLOAT and rounded
 * once.
 *
 * - varRef, mRef, vRef: of one shape; FLOAT, FLOAT16, BF16 or DOUBLE each.
 * - maxGradNormOptionalRef: the same; NULL without amsgrad, which leaves it alone.
 * - grad: the same.
 * - step: one element: how many steps were before this one. FLOAT, FLOAT16, BF16, DOUBLE, INT32 or
 *   INT64; read when the work runs.
 * - lr, beta1, beta2, weightDecay, eps, amsgrad, maximize: see above. */
ACLNN_API aclnnStatus aclnnApplyAdamWV2GetWorkspaceSize(
    aclTensor *varRef, aclTensor *mRef, aclTensor *vRef, aclTensor *maxGradNormOptionalRef,
    const aclTensor *grad, const aclTensor *step, float lr, float beta1, float beta2,
    float weightDecay, float eps, bool amsgrad, bool maximize, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnApplyAdamWV2(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
