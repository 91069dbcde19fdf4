/* SPDX-License-Identifier: Apache-2.0 */
/* Products of batches of matrices. */
#ifndef OP_API_ACLNN_BATCHMATMUL_H
#define OP_API_ACLNN_BATCHMATMUL_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = self[i] mat2[i], as torch.bmm.
 *
 * - self: (b, m, k); mat2: (b, k, n); out: (b, m, n). The b of self or mat2 may be 1: that matrix
 *   serves all of the other's. FLOAT, FLOAT16, BF16, each its own; or DOUBLE, all of them.
 * - cubeMathType: 0 multiplies numbers as they are; 1 and 3 round FLOAT ones to HF32, 2 all to
 *   FLOAT16.
 *
 * Also COMPLEX64 or COMPLEX128, all of them, which cubeMathType does not round. Sums are in FLOAT
 * (DOUBLE for DOUBLE), rounded once. */
ACLNN_API aclnnStatus aclnnBatchMatMulGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2,
                                                       aclTensor *out, int8_t cubeMathType,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchMatMul(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

/* out[i] = self[i] mat2[i] with weights that were prepared (aclnnTransMatmulWeight,
 * aclnnNpuFormatCast), which lie as any other matrices do here: FRACTAL_NZ is taken as ND, whatever
 * the storage shape says.
 *
 * - self: (b, m, k); mat2: (b, k, n), which may be a transposed view; out: (b, m, n). The b of self
 *   or mat2 may be 1. FLOAT, FLOAT16, BF16, each its own.
 * - cubeMathType: as above; or 4, which sums in FLOAT, as all of them do. */
ACLNN_API aclnnStatus aclnnBatchMatMulWeightNzGetWorkspaceSize(const aclTensor *self,
                                                               const aclTensor *mat2,
                                                               aclTensor *out, int8_t cubeMathType,
                                                               uint64_t *workspaceSize,
                                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchMatMulWeightNz(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
