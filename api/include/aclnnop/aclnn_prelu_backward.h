/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the linear unit with a weight per channel. */
#ifndef OP_API_INC_PRELU_BACKWARD_H_
#define OP_API_INC_PRELU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput where self is positive, else weight gradOutput; gradWeight is the sum,
 * over a channel or over all, of gradOutput self where self is not positive: the gradients of
 * torch.nn.functional.prelu. The sum is made as aclnnReduceSum makes it. Of an empty self it is 0.
 *
 * - gradOutput: expands to self's shape. All operands promote.
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - weight: one element, or as many as there are channels (axis 1), in any shape.
 * - gradInput: of self's shape; may be an operand. Of any floating type.
 * - gradWeight: of weight's shape. Of any floating type. */
ACLNN_API aclnnStatus aclnnPreluBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *weight,
    aclTensor *gradInput, aclTensor *gradWeight, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPreluBackward(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
