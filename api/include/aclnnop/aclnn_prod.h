/* SPDX-License-Identifier: Apache-2.0 */
/* Products. */
#ifndef OP_API_INC_PROD_H_
#define OP_API_INC_PROD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the product of all elements of self, as torch.prod.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128, and then dtype is one of these two.
 * - dtype: the type that elements are cast to before they are reduced, and of the result;
 *   ACL_DT_UNDEFINED: self's.
 * - out: without dimensions, or with one of one element; of dtype or one that it can be cast to.
 *
 * The product of nothing is 1. Half types are multiplied in FLOAT, integers in INT64, and wrap. */
ACLNN_API aclnnStatus aclnnProdGetWorkspaceSize(const aclTensor *self, const aclDataType dtype,
                                                aclTensor *out, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnProd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* out = the products along one axis, as torch.prod.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128, and then dtype is one of these two.
 * - dim: the axis, from -rank to rank - 1.
 * - keepDim: whether the axis stays, with one element.
 * - dtype: the type that elements are cast to before they are reduced, and of the result;
 *   ACL_DT_UNDEFINED: self's.
 * - out: self's shape without the axis; of dtype or one that it can be cast to. */
ACLNN_API aclnnStatus aclnnProdDimGetWorkspaceSize(const aclTensor *self, int64_t dim, bool keepDim,
                                                   const aclDataType dtype, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnProdDim(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
