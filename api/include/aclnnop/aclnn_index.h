/* SPDX-License-Identifier: Apache-2.0 */
/* Elements and parts at places that tensors of indices name. */
#ifndef OP_API_INC_INDEX_H_
#define OP_API_INC_INDEX_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self[indices], PyTorch's indexing by tensors.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *   COMPLEX64 or COMPLEX128,
 *   with at most 8 dimensions.
 * - indices: tensor i indexes self's axis i; at most as many as self has dimensions. INT32 or
 *   INT64, and their shapes broadcast. Negative indices count from the end: each is from -size to
 *   size - 1. An empty tensor of any type stands for a whole axis, as `:` does, and so do axes
 *   behind the last tensor. Masks are not taken: aclnnNonzeroV2 makes indices of them.
 * - out: of self's type. Where the axes that are indexed lie side by side, the broadcast shape of
 *   the indices stands in their place; else it stands in front, then the other axes.
 *
 * An index outside of that range is not followed: out is 0 there, and the next synchronise of the
 * stream fails with a text that names the operator, the first such element and its value. When out
 * is empty nothing is checked of its shape. */
ACLNN_API aclnnStatus aclnnIndexGetWorkspaceSize(const aclTensor *self,
                                                 const aclTensorList *indices, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIndex(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
