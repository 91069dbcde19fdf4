/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the gated unit of GELU. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GEGLU_BACKWARD_H_
#define OP_API_INC_LEVEL2_ACLNN_GEGLU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With the halves a, b of self along dim: the halves of gradInput are gradOutput gelu and
 * gradOutput a gelu'(b), where gelu is what the forward function has kept.
 *
 * - gradOutput, gelu: half of self's size along dim; gelu is outGelu of the forward function. All
 *   operands promote.
 * - self: at least one dimension, of an even size along dim. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis; counts from the end if negative.
 * - approximate: 0 for gelu(x) = x (1 + erf(x / sqrt(2))) / 2, 1 for its approximation with tanh.
 * - gradInput: of self's shape; may be self. */
ACLNN_API aclnnStatus aclnnGeGluBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *gelu, int64_t dim,
    int64_t approximate, aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGeGluBackward(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

/* The same, or with activateLeft the halves are gradOutput b gelu'(a) and gradOutput gelu.
 *
 * - gradOutput, gelu: half of self's size along dim; gelu is outGelu of the forward function. All
 *   operands promote.
 * - self: at least one dimension, of an even size along dim. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis; counts from the end if negative.
 * - approximate: 0 for gelu(x) = x (1 + erf(x / sqrt(2))) / 2, 1 for its approximation with tanh.
 * - activateLeft: the first half was activated.
 * - gradInput: of self's shape; may be self. */
ACLNN_API aclnnStatus aclnnGeGluV3BackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *gelu, int64_t dim,
    int64_t approximate, bool activateLeft, aclTensor *gradInput, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGeGluV3Backward(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
