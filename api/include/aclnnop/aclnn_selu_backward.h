/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of SELU. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SILU_GRAD_H_
#define OP_API_INC_LEVEL2_ACLNN_SILU_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput scale where result >= 0, gradOutput (result + alpha scale) elsewhere;
 * result is that of aclnnSelu, which has the numbers. Half types are computed in FLOAT and rounded
 * once.
 *
 * - gradOutput, result: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnSeluBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                        const aclTensor *result,
                                                        aclTensor *gradInput,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSeluBackward(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
