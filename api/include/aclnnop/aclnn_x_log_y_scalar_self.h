/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a scalar and logarithms. */
#ifndef OP_API_INC_X_LOG_Y_SCALAR_SELF_H_
#define OP_API_INC_X_LOG_Y_SCALAR_SELF_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self * log(other), as torch.xlogy: 0 where self is 0, unless other is a NaN.
 *
 * - self: a scalar.
 * - other: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL; integers are
 *   computed as FLOAT.
 * - out: of other's shape, of a floating type. */
ACLNN_API aclnnStatus aclnnXLogYScalarSelfGetWorkspaceSize(const aclScalar *self,
                                                           const aclTensor *other, aclTensor *out,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnXLogYScalarSelf(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
