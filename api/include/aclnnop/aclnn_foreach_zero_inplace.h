/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: fills with 0. */
#ifndef ACLNN_FOREACH_ZERO_INPLACE_H_
#define ACLNN_FOREACH_ZERO_INPLACE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every element of each x[i] becomes 0.
 *
 * - x: a list of tensors. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 */
ACLNN_API aclnnStatus aclnnForeachZeroInplaceGetWorkspaceSize(const aclTensorList *x,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachZeroInplace(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
