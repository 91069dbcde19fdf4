/* SPDX-License-Identifier: Apache-2.0 */
/* Huber losses. */
#ifndef OP_API_INC_HUBER_LOSS_H_
#define OP_API_INC_HUBER_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* loss = e^2 / 2 where |e| is at most delta, delta (|e| - delta / 2) elsewhere, e = predictions -
 * targets; each for itself. Half types are computed in FLOAT and rounded once.
 *
 * - predictions, targets: FLOAT, FLOAT16, BF16 or DOUBLE; they promote and broadcast.
 * - delta: greater than 0.
 * - loss: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnHuberLossGetWorkspaceSize(const aclTensor *predictions,
                                                     const aclTensor *targets, float delta,
                                                     aclTensor *loss, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHuberLoss(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
