/* SPDX-License-Identifier: Apache-2.0 */
/* Writing parts of a tensor, at places of its first axes. */
#ifndef OP_API_INC_SCATTER_ND_H_
#define OP_API_INC_SCATTER_ND_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = data, then out[indices[i][0], .., indices[i][c - 1]] = updates[i], as ScatterND of ONNX.
 *
 * - data: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or UINT32.
 * - indices: INT32 or INT64, of shape (.., c) with c from 1 to the table's rank; column k indexes
 *   axis k. Not negative. Where several rows are equal the last one stays.
 * - updates: of data's type; indices' shape without its last axis, then data's axes from c on.
 * - out: of data's type and shape. It may be data.
 *
 * An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnScatterNdGetWorkspaceSize(const aclTensor *data,
                                                     const aclTensor *indices,
                                                     const aclTensor *updates, aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScatterNd(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
