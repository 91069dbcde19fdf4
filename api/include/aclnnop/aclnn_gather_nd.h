/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a tensor, at places of its first axes. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GATHER_ND_H_
#define OP_API_INC_LEVEL2_ACLNN_GATHER_ND_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = self[indices[i][0], .., indices[i][c - 1]], as GatherND of ONNX.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or UINT32.
 * - indices: INT32 or INT64, of shape (.., c) with c from 1 to the table's rank; column k indexes
 *   axis k. Negative indices count from the end.
 * - negativeIndexSupport: has no say: negative indices always count from the end.
 * - out: of self's type; indices' shape without its last axis, then self's axes from c on.
 *
 * An index outside of that range is not followed: out is 0 there, and the next synchronise of the
 * stream fails with a text that names the operator, the first such element and its value. */
ACLNN_API aclnnStatus aclnnGatherNdGetWorkspaceSize(const aclTensor *self, const aclTensor *indices,
                                                    bool negativeIndexSupport, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGatherNd(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
