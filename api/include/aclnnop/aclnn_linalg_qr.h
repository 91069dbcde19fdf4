/* SPDX-License-Identifier: Apache-2.0 */
/* Orthogonal and triangular factors of a matrix. */
#ifndef OP_API_INC_LINALG_QR_H_
#define OP_API_INC_LINALG_QR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* self = Q R, as torch.linalg.qr.
 *
 * - self: (..., m, n); FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64 or COMPLEX128, as all
 *   tensors.
 * - mode: 0: the reduced form; 1: the complete one; 2: R of the reduced form alone, Q is not
 *   looked at.
 * - Q: of orthogonal columns, (..., m, k), k the smaller of m and n; (..., m, m) of the complete
 *   form.
 * - R: upper triangular, (..., k, n); (..., m, n) of the complete form.
 *
 * Signs are LAPACK's and PyTorch's: an element on R's diagonal has the sign that its reflection
 * gives it, and is real. Computed in double and rounded once. */
ACLNN_API aclnnStatus aclnnLinalgQrGetWorkspaceSize(const aclTensor *self, int64_t mode,
                                                    aclTensor *Q, aclTensor *R,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLinalgQr(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
