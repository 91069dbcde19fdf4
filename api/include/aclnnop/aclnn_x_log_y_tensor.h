/* SPDX-License-Identifier: Apache-2.0 */
/* Products with logarithms. */
#ifndef OP_API_INC_X_LOG_Y_TENSOR_H_
#define OP_API_INC_X_LOG_Y_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self * log(other), as torch.xlogy: 0 where self is 0, unless other is a NaN.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL; integers are computed as FLOAT.
 * - out: of the broadcast shape, of a floating type. */
ACLNN_API aclnnStatus aclnnXLogYTensorGetWorkspaceSize(const aclTensor *self,
                                                       const aclTensor *other, aclTensor *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnXLogYTensor(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

/* selfRef = selfRef * log(other), as aclnnXLogYTensor; other broadcasts to selfRef's shape. */
ACLNN_API aclnnStatus aclnnInplaceXLogYTensorGetWorkspaceSize(aclTensor *selfRef,
                                                              const aclTensor *other,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceXLogYTensor(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
