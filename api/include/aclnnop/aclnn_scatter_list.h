/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a tensor, copied into the tensors of a list. */
#ifndef ACLNN_SCATTER_LIST_H_
#define ACLNN_SCATTER_LIST_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* varRef[b][.., start + i, ..] = updates[b][.., i, ..] along axis, for i below a length, where
 * start is indice[b] and the length updates' size along axis; or both are indice[b][0] and
 * indice[b][1].
 *
 * - varRef: tensors of one shape, 1 to 7 dimensions; FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8, BOOL, UINT16 or UINT32.
 * - indice: (tensors) or (tensors, 2); INT32 or INT64. A part that does not lie inside of its
 *   tensor is not copied, and the stream's next synchronise returns 507015.
 * - updates: of varRef's type; (tensors, then varRef's sizes), no longer than these along axis.
 * - maskOptional: (tensors), UINT8, or NULL: where it is 0, a tensor stays as it is.
 * - reduceOptional: "update", or NULL.
 * - axis: of updates, not its first one; counted from the end if negative. */
ACLNN_API aclnnStatus aclnnScatterListGetWorkspaceSize(
    aclTensorList *varRef, const aclTensor *indice, const aclTensor *updates,
    const aclTensor *maskOptional, char *reduceOptional, int64_t axis, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScatterList(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
