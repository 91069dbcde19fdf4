/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a tensor, updated where indices say. */
#ifndef OP_API_INC_SCATTER_MAX_H_
#define OP_API_INC_SCATTER_MAX_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* varRef[indices[i], ...] becomes the larger of what it was and updates[i, ...], one update after
 * the other. Half types are computed in FLOAT and rounded once, when all is done.
 *
 * - varRef: FLOAT, FLOAT16, BF16 or DOUBLE or an integer type, 1 to 8 dimensions.
 * - indices: INT32 or INT64, from 0 to varRef's first size - 1; another one is not followed, and
 *   the stream's next synchronise returns 507015.
 * - updates: of varRef's type; indices' shape, then varRef's without its first size.
 * - useLocking: without effect. */
ACLNN_API aclnnStatus aclnnScatterMaxGetWorkspaceSize(aclTensor *varRef, const aclTensor *indices,
                                                      const aclTensor *updates, bool useLocking,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScatterMax(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
