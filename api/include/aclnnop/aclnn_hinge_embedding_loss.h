/* SPDX-License-Identifier: Apache-2.0 */
/* Hinge losses of distances. */
#ifndef OP_API_INC_HINGE_EMBEDDING_LOSS_H_
#define OP_API_INC_HINGE_EMBEDDING_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* loss = input where target is 1, max(0, margin - input) where it is -1, 0 elsewhere; each for
 * itself, their mean or their sum: torch.nn.functional.hinge_embedding_loss. Half types are
 * computed in FLOAT, sums in double, and rounded once.
 *
 * - input, target: FLOAT, FLOAT16, BF16 or DOUBLE; they promote and broadcast.
 * - reduction: "none", "mean" or "sum"; NULL is "mean".
 * - loss: of the broadcast shape, or one element. */
ACLNN_API aclnnStatus aclnnHingeEmbeddingLossGetWorkspaceSize(
    const aclTensor *input, const aclTensor *target, double margin, char *reduction,
    const aclTensor *loss, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHingeEmbeddingLoss(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
