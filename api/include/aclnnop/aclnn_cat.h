/* SPDX-License-Identifier: Apache-2.0 */
/* Joining tensors. */
#ifndef OP_API_INC_CAT_H_
#define OP_API_INC_CAT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the tensors side by side along dimension dim, as torch.cat.
 *
 * - tensors: one at least; of one shape but for dimension dim, 1 to 8 dimensions. They promote. A
 *   tensor of shape (0) counts as nothing.
 * - dim: in [-rank, rank).
 * - out: of the joint shape; of a type that the promoted one can be cast to. It may overlap a
 *   tensor of the list. */
ACLNN_API aclnnStatus aclnnCatGetWorkspaceSize(const aclTensorList *tensors, int64_t dim,
                                               aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCat(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
