/* SPDX-License-Identifier: Apache-2.0 */
/* The k-th smallest elements. */
#ifndef OP_API_INC_KTHVALUE_H_
#define OP_API_INC_KTHVALUE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* valuesOut, indicesOut = torch.kthvalue(self, k, dim, keepdim): the k-th smallest along an axis.
 * A NaN is greater than every number.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - k: from 1 to the number of elements.
 * - dim: the axis, from -rank to rank - 1.
 * - keepdim: whether the axis stays, with one element.
 * - valuesOut: self's shape without the axis; of self's type or one that it can be cast to.
 * - indicesOut: of the same shape; INT64 or INT32: the place of the first element with that value.
 */
ACLNN_API aclnnStatus aclnnKthvalueGetWorkspaceSize(const aclTensor *self, int64_t k, int64_t dim,
                                                    bool keepdim, aclTensor *valuesOut,
                                                    aclTensor *indicesOut, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnKthvalue(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
