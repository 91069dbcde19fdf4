/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: MinimumList. */
#ifndef ACLNN_FOREACH_MINIMUM_LIST_H_
#define ACLNN_FOREACH_MINIMUM_LIST_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes min(x1[i], x2[i]), NaN if one of them is.
 *
 * - x1, x2: lists of as many tensors. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or
 *   UINT8.
 * - out: a list of as many, of the same shapes; out[i] may be an operand. */
ACLNN_API aclnnStatus aclnnForeachMinimumListGetWorkspaceSize(const aclTensorList *x1,
                                                              const aclTensorList *x2,
                                                              const aclTensorList *out,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachMinimumList(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
