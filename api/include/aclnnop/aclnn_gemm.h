/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices as ONNX has them. */
#ifndef OP_API_INC_GEMM_H_
#define OP_API_INC_GEMM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = alpha A B + beta C, as ONNX's Gemm; A and B transposed where asked.
 *
 * - A: (m, k), or (k, m) if transA is not 0; B: (k, n), or (n, k) if transB is not 0; C:
 *   broadcasts to (m, n), not read with a beta of 0; out: (m, n). FLOAT, FLOAT16, BF16, each its
 *   own; or DOUBLE, all of them.
 * - cubeMathType: 0 multiplies numbers as they are; 1 and 3 round FLOAT ones to HF32, 2 all to
 *   FLOAT16.
 *
 * Also COMPLEX64 or COMPLEX128, all of them, which cubeMathType does not round. Sums are in FLOAT
 * (DOUBLE for DOUBLE), rounded once. */
ACLNN_API aclnnStatus aclnnGemmGetWorkspaceSize(const aclTensor *A, const aclTensor *B,
                                                const aclTensor *C, float alpha, float beta,
                                                int64_t transA, int64_t transB, aclTensor *out,
                                                int8_t cubeMathType, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGemm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
