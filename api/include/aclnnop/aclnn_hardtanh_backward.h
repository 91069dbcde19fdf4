/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of hardtanh. */
#ifndef OP_API_INC_HARDTANH_BACKWARD_H_
#define OP_API_INC_HARDTANH_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = 0 where self <= min or self >= max, gradOutput elsewhere: the gradient of
 * torch.nn.functional.hardtanh. A NaN in self passes gradOutput on.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - min, max: scalars.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnHardtanhBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclScalar *min, const aclScalar *max,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHardtanhBackward(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
