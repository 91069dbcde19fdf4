/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices added to a tensor. */
#ifndef OP_API_INC_ADDMM_H_
#define OP_API_INC_ADDMM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = beta self + alpha mat1 mat2, as torch.addmm.
 *
 * - self: broadcasts to (m, n); with a beta of 0 it is not read. mat1: (m, k); mat2: (k, n); out:
 *   (m, n). FLOAT, FLOAT16, BF16, each its own; or DOUBLE, all of them.
 * - beta, alpha: scalars.
 * - cubeMathType: 0 multiplies numbers as they are; 1 and 3 round FLOAT ones to HF32, 2 all to
 *   FLOAT16.
 *
 * Also COMPLEX64 or COMPLEX128, all of them, which cubeMathType does not round. Sums are in FLOAT
 * (DOUBLE for DOUBLE), rounded once. */
ACLNN_API aclnnStatus aclnnAddmmGetWorkspaceSize(const aclTensor *self, const aclTensor *mat1,
                                                 const aclTensor *mat2, const aclScalar *beta,
                                                 const aclScalar *alpha, aclTensor *out,
                                                 int8_t cubeMathType, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddmm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

/* selfRef = beta selfRef + alpha mat1 mat2, as aclnnAddmm. */
ACLNN_API aclnnStatus aclnnInplaceAddmmGetWorkspaceSize(
    const aclTensor *selfRef, const aclTensor *mat1, const aclTensor *mat2, const aclScalar *beta,
    const aclScalar *alpha, int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAddmm(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

/* out = beta self + alpha mat1 mat2 with a weight that was prepared (aclnnTransMatmulWeight,
 * aclnnNpuFormatCast), which lies as any other matrix does here: FRACTAL_NZ is taken as ND,
 * whatever the storage shape says.
 *
 * - self: broadcasts to (m, n); with a beta of 0 it is not read. mat1: (m, k); mat2: (k, n), which
 *   may be a transposed view; out: (m, n). FLOAT, FLOAT16, BF16, each its own.
 * - beta, alpha: scalars.
 * - cubeMathType: as above; or 4, which sums in FLOAT, as all of them do. */
ACLNN_API aclnnStatus aclnnAddmmWeightNzGetWorkspaceSize(
    const aclTensor *self, const aclTensor *mat1, const aclTensor *mat2, const aclScalar *beta,
    const aclScalar *alpha, aclTensor *out, int8_t cubeMathType, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddmmWeightNz(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
