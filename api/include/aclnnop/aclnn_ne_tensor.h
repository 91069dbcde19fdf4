/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of two tensors: not equal. */
#ifndef OP_API_INC_LEVEL2_ACLNN_NE_TENSOR_H_
#define OP_API_INC_LEVEL2_ACLNN_NE_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self != other, as torch.ne. A NaN differs from everything, itself included.
 *
 * - self, other: broadcast, and promote. They are compared in the promoted type. FLOAT, FLOAT16,
 *   BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or COMPLEX128.
 * - out: of the broadcast shape; BOOL, or any other type, which gets 1 and 0. */
ACLNN_API aclnnStatus aclnnNeTensorGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                    aclTensor *out, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNeTensor(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

/* selfRef = selfRef != other, as 1 and 0 of selfRef's type, as aclnnNeTensor; other broadcasts to
 * selfRef's shape. */
ACLNN_API aclnnStatus aclnnInplaceNeTensorGetWorkspaceSize(aclTensor *selfRef,
                                                           const aclTensor *other,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceNeTensor(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
