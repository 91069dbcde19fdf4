/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the gated linear unit. */
#ifndef OP_API_INC_GLU_BACKWARD_H_
#define OP_API_INC_GLU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With the halves a, b of self along dim and s = 1 / (1 + exp(-b)): the halves of out are gradOut
 * s and gradOut s a (1 - s), the gradient of torch.nn.functional.glu.
 *
 * - gradOut: half of self's size along dim. All operands promote.
 * - self: at least one dimension, of an even size along dim. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis; counts from the end if negative.
 * - out: of self's shape; may be self. */
ACLNN_API aclnnStatus aclnnGluBackwardGetWorkspaceSize(const aclTensor *gradOut,
                                                       const aclTensor *self, int64_t dim,
                                                       const aclTensor *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGluBackward(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
