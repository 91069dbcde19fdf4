/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of fast GELU. */
#ifndef OP_API_INC_FAST_GELU_BACKWARD_H_
#define OP_API_INC_FAST_GELU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput s (1 + u (1 - s)), u = 1.702 self, s = 1 / (1 + e^-u). Half types are
 * computed in FLOAT and rounded once.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnFastGeluBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                            const aclTensor *self,
                                                            aclTensor *gradInput,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFastGeluBackward(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
