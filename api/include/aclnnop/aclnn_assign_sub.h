/* SPDX-License-Identifier: Apache-2.0 */
/* Differences. */
#ifndef OP_API_INC_ASSIGN_SUB_H_
#define OP_API_INC_ASSIGN_SUB_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* varOut = var - value.
 *
 * - var, value: FLOAT, FLOAT16, BF16, DOUBLE or integer types; they promote and broadcast.
 *   Integers wrap.
 * - varOut: of the broadcast shape; it may be var. */
ACLNN_API aclnnStatus aclnnAssignSubGetWorkspaceSize(const aclTensor *var, const aclTensor *value,
                                                     const aclTensor *varOut,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAssignSub(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
