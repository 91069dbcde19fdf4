/* SPDX-License-Identifier: Apache-2.0 */
/* Unique elements. */
#ifndef OP_API_INC_UNIQUE_H_
#define OP_API_INC_UNIQUE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* valueOut, inverseOut = torch.unique(self, sorted, return_inverse): the different elements in
 * ascending order. Each NaN is one of its own, behind all
 * numbers; zeros of both signs are equal.
 * The sizes of results that only the data tell are found when the work runs: phase 1 takes the
 * largest there may be, and after the
 * synchronise aclGetViewShape says how many there are. What lies behind them is not written.
 *
 * - self: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8, UINT16, UINT32 or BOOL.
 * - sorted: changes nothing: results are always in order.
 * - returnInverse: whether inverseOut is wanted.
 * - valueOut: one dimension, as many elements as self, its type.
 * - inverseOut: self's shape: which of valueOut each element is. INT64 or INT32; not touched
 *   without returnInverse. */
ACLNN_API aclnnStatus aclnnUniqueGetWorkspaceSize(const aclTensor *self, bool sorted,
                                                  bool returnInverse, aclTensor *valueOut,
                                                  aclTensor *inverseOut, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUnique(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
