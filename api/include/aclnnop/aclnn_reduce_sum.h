/* SPDX-License-Identifier: Apache-2.0 */
/* Sums. */
#ifndef OP_API_INC_REDUCE_SUM_H_
#define OP_API_INC_REDUCE_SUM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the sum of self's elements along some axes, as torch.sum.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128, and then dtype is one of these two.
 * - dims: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepDims: whether the reduced axes stay, with one element.
 * - dtype: the type that elements are cast to before they are reduced, and of the result;
 *   ACL_DT_UNDEFINED: self's.
 * - out: of self's shape without the reduced axes; of dtype or one that it can be cast to.
 *
 * The sum of nothing is 0. Half types are added in FLOAT, integers in INT64 and wrap; FLOAT and
 * DOUBLE in a fixed tree, so the bits do not depend on threads or instruction sets. */
ACLNN_API aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims,
                                                     bool keepDims, aclDataType dtype,
                                                     aclTensor *out, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnReduceSum(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
