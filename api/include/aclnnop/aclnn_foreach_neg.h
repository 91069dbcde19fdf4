/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: Neg. */
#ifndef ACLNN_FOREACH_NEG_H_
#define ACLNN_FOREACH_NEG_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes what aclnnNeg gives for x[i], as torch._foreach_neg.
 *
 * - x: a list of tensors. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - out: a list of as many, of the same shapes; out[i] may be x[i]. */
ACLNN_API aclnnStatus aclnnForeachNegGetWorkspaceSize(const aclTensorList *x,
                                                      const aclTensorList *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachNeg(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
