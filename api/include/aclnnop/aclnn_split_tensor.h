/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a tensor into equal pieces. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SPLIT_TENSOR_H_
#define OP_API_INC_LEVEL2_ACLNN_SPLIT_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = the i-th piece of self along dimension dim, as torch.split.
 *
 * - self: 1 to 8 dimensions.
 * - splitSections: elements of a piece along dim; the last piece may have fewer. 0 only where self
 *   has none.
 * - out: as many tensors as there are pieces, of self's type. */
ACLNN_API aclnnStatus aclnnSplitTensorGetWorkspaceSize(const aclTensor *self,
                                                       uint64_t splitSections, int64_t dim,
                                                       aclTensorList *out, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSplitTensor(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
