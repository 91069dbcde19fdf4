/* SPDX-License-Identifier: Apache-2.0 */
/* Writing windows of a tensor, one for each batch: new entries of a cache. */
#ifndef OP_API_INC_SCATTER_UPDATE_H_
#define OP_API_INC_SCATTER_UPDATE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* data[b][..][indices[b] + k][..] = updates[b][..][k][..] along axis. With indices of two columns,
 * data[indices[b][0]][..][indices[b][1] + k][..] = updates[b][..][k][..].
 *
 * - data: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or UINT32,
 *   with at least two dimensions.
 * - indices: INT32 or INT64, of shape (), (n) or (n, 2). Windows lie inside of data: each index is
 *   from 0 to data's size - updates' size along axis; of the first of two columns, to data's first
 *   size - 1. Where windows meet, a later b stays.
 * - updates: of data's type and rank; its first size is n (1 for an index alone) and at most
 *   data's, along axis it is at most as long as data, along the others as long.
 * - axis: not the first; counted from the end if negative.
 *
 * An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnInplaceScatterUpdateGetWorkspaceSize(
    aclTensor *data, const aclTensor *indices, const aclTensor *updates, int64_t axis,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceScatterUpdate(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
