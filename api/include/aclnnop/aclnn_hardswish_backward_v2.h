/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of hardswish. */
#ifndef OP_API_INC_HARDSWISH_BACKWARD_V2_H_
#define OP_API_INC_HARDSWISH_BACKWARD_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = 0 where self <= -3, gradOutput * (self / 3 + 1/2) where self < 3, gradOutput elsewhere and
 * for a
 * NaN: the gradient of torch.nn.functional.hardswish.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnHardswishBackwardV2GetWorkspaceSize(const aclTensor *gradOutput,
                                                               const aclTensor *self,
                                                               aclTensor *out,
                                                               uint64_t *workspaceSize,
                                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHardswishBackwardV2(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
