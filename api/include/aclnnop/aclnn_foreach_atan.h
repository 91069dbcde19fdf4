/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: Atan. */
#ifndef ACLNN_FOREACH_ATAN_H_
#define ACLNN_FOREACH_ATAN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes what aclnnAtan gives for x[i], as torch._foreach_atan.
 *
 * - x: a list of tensors. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: a list of as many, of the same shapes; out[i] may be x[i]. */
ACLNN_API aclnnStatus aclnnForeachAtanGetWorkspaceSize(const aclTensorList *x,
                                                       const aclTensorList *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachAtan(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
