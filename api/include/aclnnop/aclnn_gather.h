/* SPDX-License-Identifier: Apache-2.0 */
/* Elements along an axis, one index each. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GATHER_H_
#define OP_API_INC_LEVEL2_ACLNN_GATHER_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i][j][k] = self[index[i][j][k]][j][k] for dim = 0, and so for other axes, as torch.gather.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *   COMPLEX64 or COMPLEX128.
 * - dim: an axis of self, counted from the end if negative.
 * - index: INT32 or INT64, with as many dimensions as self; no longer than self along any but dim.
 *   Each from 0 to self's size along dim - 1.
 * - out: of self's type and index's shape.
 *
 * An index outside of that range is not followed: out is 0 there, and the next synchronise of the
 * stream fails with a text that names the operator, the first such element and its value. */
ACLNN_API aclnnStatus aclnnGatherGetWorkspaceSize(const aclTensor *self, const int64_t dim,
                                                  const aclTensor *index, aclTensor *out,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGather(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
