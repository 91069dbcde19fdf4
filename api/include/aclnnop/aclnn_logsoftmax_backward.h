/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the logarithm of softmax. */
#ifndef OP_API_INC_LOGSOFTMAX_BACKWARD_H_
#define OP_API_INC_LOGSOFTMAX_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = gradOutput - exp(output) sum(gradOutput), the sum along an axis: the gradient of
 * torch.log_softmax.
 *
 * - gradOutput: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - output: what log_softmax gave; of gradOutput's shape, of any of these types.
 * - dim: the axis, from -rank to rank - 1.
 * - out: of gradOutput's shape, of any of these types; may be either operand. */
ACLNN_API aclnnStatus aclnnLogSoftmaxBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                              const aclTensor *output, int64_t dim,
                                                              aclTensor *out,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogSoftmaxBackward(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
