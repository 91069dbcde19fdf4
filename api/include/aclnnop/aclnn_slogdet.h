/* SPDX-License-Identifier: Apache-2.0 */
/* The sign and the logarithm of determinants. */
#ifndef OP_API_INC_SLOGDET_H_
#define OP_API_INC_SLOGDET_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* signOut and logOut with det(self) = signOut exp(logOut), as torch.linalg.slogdet. Computed in
 * double and rounded once.
 *
 * - self: (..., n, n); FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64 or COMPLEX128, as all
 *   tensors.
 * - signOut: self's shape without the last two dimensions: -1, 0 or 1; of complex
 *   matrices a number of size 1, or 0.
 * - logOut: of the same shape, real whatever the type; -infinity where the determinant is 0.
 *
 * A matrix without elements has the determinant 1. */
ACLNN_API aclnnStatus aclnnSlogdetGetWorkspaceSize(const aclTensor *self, aclTensor *signOut,
                                                   aclTensor *logOut, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSlogdet(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
