/* SPDX-License-Identifier: Apache-2.0 */
/* Products with the logarithm of a scalar. */
#ifndef OP_API_INC_X_LOG_Y_SCALAR_OTHER_H_
#define OP_API_INC_X_LOG_Y_SCALAR_OTHER_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self * log(other), as torch.xlogy: 0 where self is 0, unless other is a NaN.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL; integers are
 *   computed as FLOAT.
 * - other: a scalar.
 * - out: of self's shape, of a floating type. */
ACLNN_API aclnnStatus aclnnXLogYScalarOtherGetWorkspaceSize(const aclTensor *self,
                                                            const aclScalar *other, aclTensor *out,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnXLogYScalarOther(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

/* selfRef = selfRef * log(other), as aclnnXLogYScalarOther. */
ACLNN_API aclnnStatus aclnnInplaceXLogYScalarOtherGetWorkspaceSize(aclTensor *selfRef,
                                                                   const aclScalar *other,
                                                                   uint64_t *workspaceSize,
                                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceXLogYScalarOther(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
