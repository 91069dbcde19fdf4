/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values and vectors. */
#ifndef OP_API_INC_SVD_H_
#define OP_API_INC_SVD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* input = u diag(sigma) v^H, as torch.linalg.svd, which returns v^H: v's transpose, conjugated
 * where it is complex. Computed in double, by Jacobi's rotations, and rounded once.
 *
 * - input: (..., m, n); FLOAT, DOUBLE, COMPLEX64 or COMPLEX128, as all tensors.
 * - fullMatrices: u and v are square, else they have k columns, k the smaller of m and n.
 * - computeUV: u and v are made, else they are not looked at.
 * - sigma: (..., k), falling; of a complex type too, with imaginary parts of 0.
 * - u: (..., m, k) or (..., m, m); its columns are orthogonal.
 * - v: (..., n, k) or (..., n, n); its columns are orthogonal.
 *
 * Where a matrix is not finite all of it becomes NaN. Signs of vectors, and bases where values are
 * equal, may differ from PyTorch's. */
ACLNN_API aclnnStatus aclnnSvdGetWorkspaceSize(const aclTensor *input, const bool fullMatrices,
                                               const bool computeUV, aclTensor *sigma, aclTensor *u,
                                               aclTensor *v, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSvd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
