/* SPDX-License-Identifier: Apache-2.0 */
/* Hinge losses. */
#ifndef OP_API_INC_HINGE_LOSS_H_
#define OP_API_INC_HINGE_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* loss = max(0, 1 - target predict), each for itself. Half types are computed in FLOAT and
 * rounded once.
 *
 * - predict, target: FLOAT, FLOAT16, BF16 or DOUBLE; they promote and broadcast. Targets are 1 or
 *   -1 as a rule.
 * - loss: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnHingeLossGetWorkspaceSize(const aclTensor *predict,
                                                     const aclTensor *target, aclTensor *loss,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHingeLoss(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
