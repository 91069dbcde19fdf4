/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the mean squared error. */
#ifndef OP_API_INC_MSE_LOSS_BACKWARD_H_
#define OP_API_INC_MSE_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = 2 (self - target) gradOutput / n, the gradient of torch.nn.functional.mse_loss by self; n
 * is the number of elements where reduction is 1, else 1.
 *
 * - gradOutput, self, target: broadcast, and promote; of a mean and a sum gradOutput has one
 *   element. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - reduction: 0 (none), 1 (mean), 2 (sum) of the forward function.
 * - out: of the broadcast shape, whose elements a mean divides by. */
ACLNN_API aclnnStatus aclnnMseLossBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target, int64_t reduction,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMseLossBackward(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
