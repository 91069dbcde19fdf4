/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the logistic loss of two classes. */
#ifndef OP_API_INC_SOFT_MARGIN_LOSS_BACKWARD_H_
#define OP_API_INC_SOFT_MARGIN_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = -target gradOutput / (1 + exp(target self)) / n, the gradient of
 * torch.nn.functional.soft_margin_loss by self; n is the number of elements where reduction is 1,
 * else 1.
 *
 * - gradOutput, self, target: broadcast, and promote; of a mean and a sum gradOutput has one
 *   element. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - reduction: 0 (none), 1 (mean), 2 (sum) of the forward function.
 * - out: of the broadcast shape. Of any floating type. */
ACLNN_API aclnnStatus aclnnSoftMarginLossBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target, int64_t reduction,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftMarginLossBackward(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
