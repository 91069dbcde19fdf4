/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of tanh. */
#ifndef OP_API_INC_TANH_BACKWARD_H_
#define OP_API_INC_TANH_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput (1 - output^2), where output is the result of torch.tanh. Half types are
 * computed in FLOAT and rounded once.
 *
 * - gradOutput, output: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnTanhBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                        const aclTensor *output,
                                                        aclTensor *gradInput,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTanhBackward(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
