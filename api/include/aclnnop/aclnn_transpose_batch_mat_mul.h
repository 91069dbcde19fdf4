/* SPDX-License-Identifier: Apache-2.0 */
/* Products of batches of matrices whose axes may be in another order. */
#ifndef OP_API_INC_TRANSPOSE_BATCH_MAT_MUL
#define OP_API_INC_TRANSPOSE_BATCH_MAT_MUL

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i][b][j] = sum over p of x1[b][i][p] x2[b][p][j]: rows come first, then the batch.
 *
 * - x1: (B, m, k), or (m, B, k) where permX1 is (1, 0, 2). x2: (B, k, n), or (B, n, k) where permX2
 *   is (0, 2, 1). FLOAT, FLOAT16, BF16, each its own, any strides.
 * - bias: NULL.
 * - scale: NULL; or UINT64 or INT64 (B n), as aclnnTransQuantParamV2 makes them: out is INT8,
 *   round(sum scale + offset) with the scale's 19 bits of a FLOAT and the offset that it may hold,
 *   for column b n + j; sums and both operations are FLOAT, ties round to even, numbers beyond
 *   become the nearest end, a NaN 0.
 * - permX1: (0, 1, 2) or (1, 0, 2). permX2: (0, 1, 2) or (0, 2, 1). permY: (1, 0, 2).
 * - cubeMathType: 0 multiplies numbers as they are; 1 and 3 round FLOAT ones to HF32, 2 all to
 *   FLOAT16.
 * - batchSplitFactor: s, a divisor of B; 1 with a scale.
 * - out: (m, B, n); with a scale (m, 1, B n); where s > 1 (s, m, B / s n), in which batch b is part
 *   b / (B / s) and its columns begin at b % (B / s) n. FLOAT, FLOAT16 or BF16, rounded once. */
ACLNN_API aclnnStatus aclnnTransposeBatchMatMulGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *bias, const aclTensor *scale,
    const aclIntArray *permX1, const aclIntArray *permX2, const aclIntArray *permY,
    int8_t cubeMathType, const int32_t batchSplitFactor, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTransposeBatchMatMul(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, const aclrtStream stream);

/* The same with weights x2 that were prepared (aclnnNpuFormatCast), which lie as any other matrices
 * do here: FRACTAL_NZ is taken as ND, whatever the storage shape says. */
ACLNN_API aclnnStatus aclnnTransposeBatchMatMulWeightNzGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *bias, const aclTensor *scale,
    const aclIntArray *permX1, const aclIntArray *permX2, const aclIntArray *permY,
    int8_t cubeMathType, const int32_t batchSplitFactor, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTransposeBatchMatMulWeightNz(void *workspace, uint64_t workspaceSize,
                                                        aclOpExecutor *executor,
                                                        const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
