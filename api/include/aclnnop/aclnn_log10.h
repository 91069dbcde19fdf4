/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms to base 10. */
#ifndef OP_API_INC_LOG10_H_
#define OP_API_INC_LOG10_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log10(self), as torch.log10: -infinity for 0, a NaN for negative numbers.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128.
 * - out: of its shape, of a floating or complex type.
 *
 * Integers and BOOL are computed as FLOAT; half types in FLOAT, rounded once. */
ACLNN_API aclnnStatus aclnnLog10GetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLog10(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

/* selfRef becomes what aclnnLog10 gives for it; its type must be a floating or complex one. */
ACLNN_API aclnnStatus aclnnInplaceLog10GetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceLog10(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
