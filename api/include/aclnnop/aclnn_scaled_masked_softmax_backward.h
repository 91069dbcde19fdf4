/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of aclnnScaledMaskedSoftmax. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SCALED_MASKED_SOFTMAX_BACKWARD_H_
#define OP_API_INC_LEVEL2_ACLNN_SCALED_MASKED_SOFTMAX_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = scale y (gradOutput - sum(gradOutput y)), the sum along the last axis, and 0 where mask is
 * not 0.
 *
 * - gradOutput, y: four dimensions, one shape; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - mask: BOOL, UINT8 or INT8, of that shape; the first two sizes may be 1.
 * - scale: as in the forward pass.
 * - fixTriuMask: must be false.
 * - out: of y's shape; may be gradOutput or y. */
ACLNN_API aclnnStatus aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *y, const aclTensor *mask, double scale,
    bool fixTriuMask, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScaledMaskedSoftmaxBackward(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
