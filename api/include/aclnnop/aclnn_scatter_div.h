/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a tensor, divided where indices say. */
#ifndef OP_API_INC_SCATTER_DIV_H_
#define OP_API_INC_SCATTER_DIV_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* varRef[indices[i], ...] is divided by updates[i, ...], one update after the other. Half types are
 * computed in FLOAT and rounded once, when all is done; quotients of integers are cut towards 0,
 * and by 0 they are 0.
 *
 * - varRef: FLOAT, FLOAT16, BF16 or DOUBLE or an integer type, 1 to 8 dimensions.
 * - indices: INT32 or INT64, from 0 to varRef's first size - 1; another one is not followed, and
 *   the stream's next synchronise returns 507015.
 * - updates: of varRef's type; indices' shape, then varRef's without its first size.
 * - useLocking: without effect. */
ACLNN_API aclnnStatus aclnnScatterDivGetWorkspaceSize(aclTensor *varRef, const aclTensor *indices,
                                                      const aclTensor *updates, bool useLocking,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScatterDiv(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
