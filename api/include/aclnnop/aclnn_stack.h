/* SPDX-License-Identifier: Apache-2.0 */
/* Joining tensors along a new dimension. */
#ifndef OP_API_INC_STACK_H_
#define OP_API_INC_STACK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the tensors along a new dimension dim, as torch.stack.
 *
 * - tensors: one at least, all of one type and shape, at most 7 dimensions.
 * - dim: in [-rank - 1, rank], where the new dimension is.
 * - out: of the tensors' type. */
ACLNN_API aclnnStatus aclnnStackGetWorkspaceSize(const aclTensorList *tensors, int64_t dim,
                                                 aclTensor *out, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnStack(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
