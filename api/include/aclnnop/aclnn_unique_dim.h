/* SPDX-License-Identifier: Apache-2.0 */
/* Unique slices. */
#ifndef OP_API_INC_UNIQUE_DIM_H_
#define OP_API_INC_UNIQUE_DIM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* valueOut, inverseOut, countsOut = torch.unique(self, sorted, return_inverse, return_counts=True,
 * dim=dim): the different slices along one axis in ascending
 * order, the first element that differs deciding. A NaN is greater than all numbers and equals
 * nothing.
 * The sizes of results that only the data tell are found when the work runs: phase 1 takes the
 * largest there may be, and after the
 * synchronise aclGetViewShape says how many there are. What lies behind them is not written.
 *
 * - self: any shape of 1 to 8 dimensions, any strides; other axes than dim have elements. FLOAT,
 *   FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32 or BOOL.
 * - sorted: changes nothing: results are always in order.
 * - returnInverse: whether inverseOut is wanted.
 * - dim: the axis, counted from the end if negative.
 * - valueOut: self's shape and type, dense: it is dense in its new shape.
 * - inverseOut: one dimension: which of valueOut each slice is. INT64 or INT32; not touched
 *   without returnInverse.
 * - countsOut: one dimension: how often each is there. INT64 or INT32. */
ACLNN_API aclnnStatus aclnnUniqueDimGetWorkspaceSize(const aclTensor *self, bool sorted,
                                                     bool returnInverse, int64_t dim,
                                                     aclTensor *valueOut, aclTensor *inverseOut,
                                                     aclTensor *countsOut, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUniqueDim(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
