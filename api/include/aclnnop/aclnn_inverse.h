/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse matrices. */
#ifndef OP_API_INC_LEVEL2_ACLNN_INVERSE_H_
#define OP_API_INC_LEVEL2_ACLNN_INVERSE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self^-1, as torch.linalg.inv. Computed in double, by LU with partial pivoting, and rounded
 * once.
 *
 * - self: (..., n, n); FLOAT, FLOAT16, BF16 or DOUBLE. Complex types are refused.
 * - out: of self's shape and type. It may be self.
 *
 * A matrix without an inverse has infinities and NaN, and the stream's error is
 * ACL_ERROR_RT_AICORE_EXCEPTION, whose text has its number. */
ACLNN_API aclnnStatus aclnnInverseGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInverse(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
