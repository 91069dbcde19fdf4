/* SPDX-License-Identifier: Apache-2.0 */
/* Norms of vectors. */
#ifndef OP_API_INC_LINALG_VECTOR_NORM_H_
#define OP_API_INC_LINALG_VECTOR_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the norm of order `ord` of self's elements along some axes, as torch.linalg.vector_norm.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - ord: p.
 * - dims: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepDims: whether the reduced axes stay, with one element.
 * - dtype: the type that elements are cast to before they are reduced, and of the result;
 *   ACL_DT_UNDEFINED: self's.
 * - out: of self's shape without the reduced axes; of dtype or one that it can be cast to.
 *
 * p = 0 counts the elements that are not 0; infinity is the largest size, -infinity the smallest;
 * other p are sum(|x|^p)^(1/p). The norm of nothing is 0; with an infinite p it is refused.
 * Squares are not scaled: they overflow as torch's do. */
ACLNN_API aclnnStatus aclnnLinalgVectorNormGetWorkspaceSize(
    const aclTensor *self, const aclScalar *ord, const aclIntArray *dims, bool keepDims,
    const aclDataType dtype, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLinalgVectorNorm(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
