/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the logarithm of the sigmoid. */
#ifndef OP_API_INC_LOGSIGMOID_BACKWARD_H_
#define OP_API_INC_LOGSIGMOID_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput / (1 + exp(self)), the gradient of torch.nn.functional.logsigmoid.
 *
 * - gradOutput, self: of one shape. FLOAT, FLOAT16, BF16 or DOUBLE; all operands promote.
 * - buffer: is not read. Of any shape; PyTorch's has no elements.
 * - gradInput: of self's shape; may be an operand. Of any floating type. */
ACLNN_API aclnnStatus aclnnLogSigmoidBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *buffer,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogSigmoidBackward(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
