/* SPDX-License-Identifier: Apache-2.0 */
/* The Cholesky factor of a matrix. */
#ifndef OP_API_INC_LINALG_CHOLESKY_H_
#define OP_API_INC_LINALG_CHOLESKY_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out with self = out out^T, or out^T out with upper, as torch.linalg.cholesky. Computed in double
 * and rounded once.
 *
 * - self: (..., n, n), symmetric and positive definite; FLOAT, FLOAT16, BF16 or DOUBLE. Of each
 *   matrix one triangle is read, the upper one with upper.
 * - upper: out is upper triangular, else lower.
 * - out: of self's shape and type; 0 in the other triangle. It may be self.
 *
 * A matrix that is not positive definite becomes NaN, and the stream's error is
 * ACL_ERROR_RT_AICORE_EXCEPTION, whose text has its number. */
ACLNN_API aclnnStatus aclnnLinalgCholeskyGetWorkspaceSize(const aclTensor *self, bool upper,
                                                          aclTensor *out, uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLinalgCholesky(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
