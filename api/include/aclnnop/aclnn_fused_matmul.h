/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices with a bias and a function of both. */
#ifndef OP_API_INC_FUSED_MATMUL_H
#define OP_API_INC_FUSED_MATMUL_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = f(x1 x2 + bias, x3): "" and "16cast32" (y is FLOAT) the sum itself, "add" and "mul" with x3,
 * "relu", "gelu_erf" and "gelu_tanh".
 *
 * - x1: (..., m, k); x2: (..., k, n), the same batch in front: 2 dimensions, with "add" and "mul"
 * up to 3, with "" and "relu" up to 6. FLOAT, FLOAT16, BF16, each its own, any strides.
 * - bias: NULL; or (n), (1, n) or (m, n); NULL with GELU.
 * - x3: with "add" and "mul" (m, n), (1, m, n) or y's shape; else NULL.
 * - fusedOpType: one of those.
 * - cubeMathType: 0 multiplies numbers as they are; 1 and 3 round FLOAT ones to HF32, 2 all to
 *   FLOAT16; 4 sums in FLOAT, as all of them do.
 * - y: (..., m, n), FLOAT, FLOAT16 or BF16.
 *
 * Sums and functions are FLOAT, rounded once. */
ACLNN_API aclnnStatus aclnnFusedMatmulGetWorkspaceSize(const aclTensor *x1, const aclTensor *x2,
                                                       const aclTensor *bias, const aclTensor *x3,
                                                       const char *fusedOpType, int8_t cubeMathType,
                                                       const aclTensor *y, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFusedMatmul(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
