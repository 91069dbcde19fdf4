/* SPDX-License-Identifier: Apache-2.0 */
/* A step of Adam, as TensorFlow has it. */
#ifndef OP_API_INC_APPLY_ADAM_H_
#define OP_API_INC_APPLY_ADAM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* m = beta1 m + (1 - beta1) grad, v = beta2 v + (1 - beta2) grad grad, and var -= lr sqrt(1 -
 * beta2Power) / (1 - beta1Power) u / (sqrt(v) + epsilon), where u is m, or beta1 m + (1 - beta1)
 * grad with useNesterov. FLOAT16 and BF16 are computed in FLOAT and rounded once.
 *
 * - varRef, m, v: of one shape, read and written; FLOAT, FLOAT16, BF16 or DOUBLE each.
 * - beta1Power, beta2Power: one element each: the betas to the power of this step's count.
 * - lr, beta1, beta2, epsilon: one element each. FLOAT, FLOAT16, BF16, DOUBLE, INT32 or INT64;
 *   read when the work runs.
 * - grad: of varRef's shape.
 * - useLocking: changes nothing.
 * - useNesterov: see above. */
ACLNN_API aclnnStatus aclnnApplyAdamGetWorkspaceSize(
    aclTensor *varRef, const aclTensor *m, const aclTensor *v, const aclTensor *beta1Power,
    const aclTensor *beta2Power, const aclTensor *lr, const aclTensor *beta1,
    const aclTensor *beta2, const aclTensor *epsilon, const aclTensor *grad, bool useLocking,
    bool useNesterov, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnApplyAdam(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
