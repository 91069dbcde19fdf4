/* SPDX-License-Identifier: Apache-2.0 */
/* Solution of a system of equations with a triangular matrix. */
#ifndef OP_API_INC_TRIANGULAR_SOLVE_H_
#define OP_API_INC_TRIANGULAR_SOLVE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solves A X = self, or A^T X = self, where A is triangular; X is torch.triangular_solve's
 * solution, that of torch.linalg.solve_triangular from the left. Computed in double, rounded once.
 *
 * - self: (..., m, n), the right sides. FLOAT, DOUBLE, COMPLEX64 or COMPLEX128, as all tensors.
 * - A: (..., m, m); what is in front of the last two dimensions broadcasts with self's. Elements
 *   of the other triangle are not read.
 * - upper: A is upper triangular, else lower.
 * - transpose: A's transpose is used, not conjugated.
 * - unitriangular: A's diagonal is taken as ones and not read. Of all types, though CANN takes it
 *   of FLOAT alone.
 * - xOut: (..., m, n), the broadcast shape. It may be self.
 * - mOut: (..., m, m), or NULL: A, broadcast, all of its elements.
 *
 * A zero on the diagonal is no error: xOut has infinities or NaN. */
ACLNN_API aclnnStatus aclnnTriangularSolveGetWorkspaceSize(
    const aclTensor *self, const aclTensor *A, bool upper, bool transpose, bool unitriangular,
    aclTensor *xOut, aclTensor *mOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTriangularSolve(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
