/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons with a scalar: not equal. */
#ifndef OP_API_INC_LEVEL2_ACLNN_NE_SCALAR_H_
#define OP_API_INC_LEVEL2_ACLNN_NE_SCALAR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self != other, as torch.ne. A NaN differs from everything, itself included.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128.
 * - other: compared in the type that self and it promote to.
 * - out: of self's shape; BOOL, or any other type, which gets 1 and 0. */
ACLNN_API aclnnStatus aclnnNeScalarGetWorkspaceSize(const aclTensor *self, const aclScalar *other,
                                                    aclTensor *out, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNeScalar(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

/* selfRef = selfRef != other, as 1 and 0 of selfRef's type, as aclnnNeScalar. */
ACLNN_API aclnnStatus aclnnInplaceNeScalarGetWorkspaceSize(aclTensor *selfRef,
                                                           const aclScalar *other,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceNeScalar(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
