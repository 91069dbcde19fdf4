/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: MaximumScalarV2. */
#ifndef OP_API_INC_ACLNN_FOREACH_MAXIMUM_SCALAR_V2_H_
#define OP_API_INC_ACLNN_FOREACH_MAXIMUM_SCALAR_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes max(x[i], scalar), NaN if one of them is.
 *
 * - x: lists of as many tensors. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - scalar: a number.
 * - out: a list of as many, of the same shapes; out[i] may be an operand. */
ACLNN_API aclnnStatus aclnnForeachMaximumScalarV2GetWorkspaceSize(const aclTensorList *x,
                                                                  const aclScalar *scalar,
                                                                  aclTensorList *out,
                                                                  uint64_t *workspaceSize,
                                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachMaximumScalarV2(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
