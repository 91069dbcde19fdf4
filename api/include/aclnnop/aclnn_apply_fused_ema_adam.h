/* SPDX-License-Identifier: Apache-2.0 */
/* A step of Adam or AdamW with a running average of the parameters. */
#ifndef ACLNN_APPLY_FUSED_EMA_ADAM_H_
#define ACLNN_APPLY_FUSED_EMA_ADAM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With g = grad + weightDecay var in mode 0 and grad in mode 1: m = beta1 m + (1 - beta1) g, v =
 * beta2 v + (1 - beta2) g g, and var becomes var - lr u, where u is m / c1 / (sqrt(v) / sqrt(c2) +
 * eps), in mode 1 weightDecay var more; c1 = 1 - beta1^step and c2 = 1 - beta2^step with
 * biasCorrection, else both are 1. Then s = emaDecay s + (1 - emaDecay) var. FLOAT16 and BF16 are
 * computed in FLOAT and rounded once.
 *
 * - grad, varRef, mRef, vRef, sRef: of one shape; FLOAT, FLOAT16, BF16 or DOUBLE each.
 * - step: one element: the count of this step, from 1 on. FLOAT, FLOAT16, BF16, DOUBLE, INT32 or
 *   INT64; read when the work runs.
 * - mode: 0 or 1.
 * - lr, emaDecay, beta1, beta2, eps, biasCorrection, weightDecay: see above. */
ACLNN_API aclnnStatus aclnnApplyFusedEmaAdamGetWorkspaceSize(
    const aclTensor *grad, aclTensor *varRef, aclTensor *mRef, aclTensor *vRef, aclTensor *sRef,
    const aclTensor *step, double lr, double emaDecay, double beta1, double beta2, double eps,
    int64_t mode, bool biasCorrection, double weightDecay, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnApplyFusedEmaAdam(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
