/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of hardsigmoid. */
#ifndef OP_API_INC_HARDSIGMOID_BACKWARD_H_
#define OP_API_INC_HARDSIGMOID_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = gradOutput / 6 where -3 < self < 3, 0 elsewhere, for a NaN too: the gradient of
 * torch.nn.functional.hardsigmoid.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnHardsigmoidBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                               const aclTensor *self,
                                                               aclTensor *out,
                                                               uint64_t *workspaceSize,
                                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHardsigmoidBackward(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
