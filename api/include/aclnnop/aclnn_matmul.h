/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, vectors and batches of them. */
#ifndef OP_API_INC_MATMUL_H_
#define OP_API_INC_MATMUL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self mat2, as torch.matmul.
 *
 * - self, mat2: 1 to 6 dimensions. A vector on the left is a row, on the right a column, and its
 *   axis is none of the result. Axes in front of the last two are a batch and broadcast. FLOAT,
 *   FLOAT16, BF16, each its own; or DOUBLE, all of them.
 * - out: of the shape that follows.
 * - cubeMathType: 0 multiplies numbers as they are; 1 and 3 round FLOAT ones to HF32, 2 all to
 *   FLOAT16.
 *
 * Also COMPLEX64 or COMPLEX128, all of them, which cubeMathType does not round. Sums are in FLOAT
 * (DOUBLE for DOUBLE), rounded once. */
ACLNN_API aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2,
                                                  aclTensor *out, int8_t cubeMathType,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMatmul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

/* out = self mat2 with a weight that was prepared (aclnnTransMatmulWeight, aclnnNpuFormatCast),
 * which lies as any other matrix does here: FRACTAL_NZ is taken as ND, whatever the storage shape
 * says.
 *
 * - self: (m, k); mat2: (k, n), which may be a transposed view; out: (m, n). FLOAT, FLOAT16, BF16,
 *   each its own.
 * - cubeMathType: as above; or 4, which sums in FLOAT, as all of them do. */
ACLNN_API aclnnStatus aclnnMatmulWeightNzGetWorkspaceSize(const aclTensor *self,
                                                          const aclTensor *mat2, aclTensor *out,
                                                          int8_t cubeMathType,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMatmulWeightNz(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
