/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: Copy. */
#ifndef ACLNN_FOREACH_COPY_H_
#define ACLNN_FOREACH_COPY_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes copies of x[i], as torch._foreach_copy.
 *
 * - x: a list of tensors. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - out: a list of as many, of the same shapes; out[i] may be x[i]. */
ACLNN_API aclnnStatus aclnnForeachCopyGetWorkspaceSize(const aclTensorList *x,
                                                       const aclTensorList *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachCopy(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
