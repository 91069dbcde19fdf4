/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the smooth absolute error. */
#ifndef OP_API_INC_SMOOTH_L1_LOSS_BACKWARD_H_
#define OP_API_INC_SMOOTH_L1_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With d = self - target: gradInput = gradOut / n times d / beta where |d| < beta, else 1 where d
 * > 0 and -1 elsewhere, the gradient of torch.nn.functional.smooth_l1_loss by self; n is the
 * number of elements where reduction is 1, else 1.
 *
 * - gradOut, self, target: broadcast, and promote; of a mean and a sum gradOut has one element.
 *   FLOAT, FLOAT16, BF16 or DOUBLE.
 * - reduction: 0 (none), 1 (mean), 2 (sum) of the forward function.
 * - beta: where squares end; not negative.
 * - gradInput: of the broadcast shape, whose elements a mean divides by. */
ACLNN_API aclnnStatus aclnnSmoothL1LossBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *self, const aclTensor *target, int64_t reduction,
    float beta, aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSmoothL1LossBackward(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
