/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting. */
#ifndef OP_API_INC_SORT_H_
#define OP_API_INC_SORT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* valuesOut, indicesOut = torch.sort(self, dim, descending, stable): the elements along one axis
 * in order, and where they were.
 * NaN is greater than all numbers; zeros of both signs are equal.
 *
 * - self: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8, UINT16, UINT32 or BOOL.
 * - stable: changes nothing: equal elements always keep their order.
 * - dim: the axis, counted from the end if negative.
 * - descending: the greatest first.
 * - valuesOut: type and shape of self. May be self itself.
 * - indicesOut: shape of self. INT64 or INT32. */
ACLNN_API aclnnStatus aclnnSortGetWorkspaceSize(const aclTensor *self, bool stable, int64_t dim,
                                                bool descending, aclTensor *valuesOut,
                                                aclTensor *indicesOut, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSort(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
