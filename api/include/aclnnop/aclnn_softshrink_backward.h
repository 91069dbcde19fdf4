/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of softshrink. */
#ifndef OP_API_INC_SOFT_SHRINK_BACKWARD_H_
#define OP_API_INC_SOFT_SHRINK_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = 0 where -lambda <= self <= lambda, gradOutput elsewhere: the gradient of
 * torch.nn.functional.softshrink. A NaN in self passes gradOutput on.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - lambda: a scalar.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnSoftshrinkBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclScalar *lambda,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftshrinkBackward(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
