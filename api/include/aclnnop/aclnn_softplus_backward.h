/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of softplus. */
#ifndef OP_API_INC_SOFTPLUS_BACKWARD_H_
#define OP_API_INC_SOFTPLUS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput / (1 + e^(-beta self)), and gradOutput where beta self > threshold: the
 * gradient of torch.nn.functional.softplus. Half types are computed in FLOAT and rounded once.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - beta, threshold: scalars.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnSoftplusBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclScalar *beta,
    const aclScalar *threshold, aclTensor *gradInput, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftplusBackward(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
