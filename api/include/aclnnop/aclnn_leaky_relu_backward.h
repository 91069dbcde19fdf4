/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of leaky relu. */
#ifndef OP_API_INC_LEAKY_RELU_BACKWARD_H_
#define OP_API_INC_LEAKY_RELU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = gradOutput where self > 0, negativeSlope * gradOutput elsewhere: the gradient of
 * torch.nn.functional.leaky_relu.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - negativeSlope: a scalar.
 * - selfIsResult: whether self is the operand or the result of the forward function. The sign is
 *   the
 *   same, so the gradient is; with a negative negativeSlope it would not be, which is refused.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnLeakyReluBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclScalar *negativeSlope,
    bool selfIsResult, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLeakyReluBackward(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
