/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the divergence of Kullback and Leibler by the target. */
#ifndef OP_API_INC_KL_DIV_TARGET_BACKWARD_H_
#define OP_API_INC_KL_DIV_TARGET_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradTarget = (log(target) - self + 1) gradOutput / n, or with logTarget exp(target) (target -
 * self + 1) gradOutput / n, the gradient of torch.nn.functional.kl_div by target; n is the number
 * of elements where reduction is 1, self's first size where it is 3, else 1. Of a target 0 it is
 * infinite.
 *
 * - gradOutput, self, target: broadcast, and promote; of a mean and a sum gradOutput has one
 *   element. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - reduction: 0 (none), 1 (mean), 2 (sum) or 3 (batchmean: the sum by self's first size) of the
 *   forward function.
 * - logTarget: target holds logarithms.
 * - gradTarget: of the broadcast shape. Of any floating type. */
ACLNN_API aclnnStatus aclnnKlDivTargetBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target, int64_t reduction,
    bool logTarget, aclTensor *gradTarget, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnKlDivTargetBackward(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
