/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of mish. */
#ifndef OP_API_INC_MISH_BACKWARD_H_
#define OP_API_INC_MISH_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput (t + self s (1 - t^2)), t = tanh(log(1 + e^self)), s = 1 / (1 + e^-self).
 * Half types are computed in FLOAT and rounded once.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnMishBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                        const aclTensor *self, aclTensor *gradInput,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMishBackward(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
