/* SPDX-License-Identifier: Apache-2.0 */
/* Elements without those that repeat the one before. */
#ifndef OP_API_INC_UNIQUE_CONSECUTIVE_H_
#define OP_API_INC_UNIQUE_CONSECUTIVE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* valueOut, inverseOut, countsOut = torch.unique_consecutive(self, return_inverse, return_counts,
 * dim): runs of equal elements, or slices along dim, become
 * one. A NaN equals nothing.
 * The sizes of results that only the data tell are found when the work runs: phase 1 takes the
 * largest there may be, and after the
 * synchronise aclGetViewShape says how many there are. What lies behind them is not written.
 *
 * - self: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8, UINT16, UINT32 or BOOL.
 * - returnInverse, returnCounts: whether inverseOut and countsOut are wanted.
 * - dim: the axis, counted from the end if negative; 1000: all elements in row-major order.
 * - valueOut: self's type; one dimension of as many elements, or with an axis self's shape, dense:
 *   it is dense in its new shape.
 * - inverseOut: which run each element is in, in self's shape; with an axis of each slice, in one
 *   dimension. INT64 or INT32; not touched without returnInverse.
 * - countsOut: one dimension: how long each run is. INT64 or INT32; not touched without
 *   returnCounts. */
ACLNN_API aclnnStatus aclnnUniqueConsecutiveGetWorkspaceSize(
    const aclTensor *self, bool returnInverse, bool returnCounts, int64_t dim, aclTensor *valueOut,
    aclTensor *inverseOut, aclTensor *countsOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUniqueConsecutive(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
