/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a tensor along an axis, by indices of any shape. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GATHER_V2_H_
#define OP_API_INC_LEVEL2_ACLNN_GATHER_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self with the axis dim replaced by the axes of index: out[a, i, b] = self[a, index[i], b],
 * as self.index_select with index.flatten() and the shape restored; numpy.take.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *   COMPLEX64 or COMPLEX128.
 * - dim: an axis of self, counted from the end if negative.
 * - index: INT32 or INT64, of any shape, each from 0 to self's size along dim - 1.
 * - out: of self's type, with self's rank + index's rank - 1 dimensions, at most 8.
 *
 * An index outside of that range is not followed: out is 0 there, and the next synchronise of the
 * stream fails with a text that names the operator, the first such element and its value. */
ACLNN_API aclnnStatus aclnnGatherV2GetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                    const aclTensor *index, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGatherV2(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
