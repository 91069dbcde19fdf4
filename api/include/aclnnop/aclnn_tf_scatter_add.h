/* SPDX-License-Identifier: Apache-2.0 */
/* Slices or parts of a tensor, added to where indices say. */
#ifndef OP_API_INC_TF_SCATTER_ADD_H_
#define OP_API_INC_TF_SCATTER_ADD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* varRef[indices[i], ...] += updates[i, ...], as tf.scatter_add, or varRef[indices[i, :]] +=
 * updates[i, ...], as tf.scatter_nd_add: updates' number of dimensions tells which. Values that
 * meet are added in the order of the indices. Half types are summed in FLOAT and rounded once;
 * integers wrap.
 *
 * - varRef: FLOAT, FLOAT16, BF16 or DOUBLE or an integer type, 1 to 8 dimensions.
 * - indices: INT32 or INT64, each from 0 to varRef's size - 1 along the axis that it names; another
 *   one is not followed, and the stream's next synchronise returns 507015.
 * - updates: of varRef's type; indices' shape, then varRef's without its first size; or indices'
 *   shape without its last size, c, then varRef's without its first c. */
ACLNN_API aclnnStatus aclnnTfScatterAddGetWorkspaceSize(aclTensor *varRef, const aclTensor *indices,
                                                        const aclTensor *updates,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTfScatterAdd(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
