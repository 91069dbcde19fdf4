/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: LerpList. */
#ifndef ACLNN_FOREACH_LERP_LIST_H_
#define ACLNN_FOREACH_LERP_LIST_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes x1[i] + weight[i] (x2[i] - x1[i]).
 *
 * - x1, x2, weight: lists of as many tensors. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: a list of as many, of the same shapes; out[i] may be an operand. */
ACLNN_API aclnnStatus aclnnForeachLerpListGetWorkspaceSize(
    const aclTensorList *x1, const aclTensorList *x2, const aclTensorList *weight,
    const aclTensorList *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachLerpList(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
