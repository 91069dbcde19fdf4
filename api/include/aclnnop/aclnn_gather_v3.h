/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a tensor along an axis, batch by batch. */
#ifndef OP_API_INC_GATHER_V3_H_
#define OP_API_INC_GATHER_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnGatherV2 for each position of the first batchDims axes, which self and index share:
 * out[n, a, i, b] = self[n, a, index[n, i], b].
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *   COMPLEX64 or COMPLEX128.
 * - dim: an axis of self, counted from the end if negative.
 * - index: INT32 or INT64, each from 0 to self's size along dim - 1.
 * - batchDims: from 0 to dim and to index's rank; self and index are equally long along these
 *   axes.
 * - mode: a hint at the order of the indices, which does not change the result.
 * - out: of self's type, with self's rank + index's rank - 1 - batchDims dimensions, at most 8.
 *
 * An index outside of that range is not followed: out is 0 there, and the next synchronise of the
 * stream fails with a text that names the operator, the first such element and its value. */
ACLNN_API aclnnStatus aclnnGatherV3GetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                    const aclTensor *index, int64_t batchDims,
                                                    int64_t mode, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGatherV3(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
