/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the cross entropy of two classes. */
#ifndef OP_API_INC_LEVEL2_ACLNN_BINARY_CROSS_ENTROPY_BACKWARD_H_
#define OP_API_INC_LEVEL2_ACLNN_BINARY_CROSS_ENTROPY_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = gradOutput weight (self - target) / max(self (1 - self), 1e-12) / n, the gradient of
 * torch.nn.functional.binary_cross_entropy by self; n is the number of elements where reduction is
 * 1, else 1.
 *
 * - self, target: of one shape. FLOAT, FLOAT16, BF16 or DOUBLE; all operands promote.
 * - gradOutput, weightOptional: broadcast to it. A weight of NULL: 1.
 * - reduction: 0 (none), 1 (mean), 2 (sum) of the forward function.
 * - out: of self's shape. Of any floating type. */
ACLNN_API aclnnStatus aclnnBinaryCrossEntropyBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target,
    const aclTensor *weightOptional, int64_t reduction, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBinaryCrossEntropyBackward(void *workspace, uint64_t workspaceSize,
                                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
