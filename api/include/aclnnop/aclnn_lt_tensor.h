/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of two tensors: less. */
#ifndef OP_API_INC_LTTENSOR_H_
#define OP_API_INC_LTTENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self < other, as torch.lt. A comparison with a NaN is false.
 *
 * - self, other: broadcast, and promote. They are compared in the promoted type. FLOAT, FLOAT16,
 *   BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - out: of the broadcast shape; BOOL, or any other type, which gets 1 and 0. */
ACLNN_API aclnnStatus aclnnLtTensorGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                    aclTensor *out, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLtTensor(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

/* selfRef = selfRef < other, as 1 and 0 of selfRef's type, as aclnnLtTensor; other broadcasts to
 * selfRef's shape. */
ACLNN_API aclnnStatus aclnnInplaceLtTensorGetWorkspaceSize(const aclTensor *selfRef,
                                                           const aclTensor *other,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceLtTensor(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
