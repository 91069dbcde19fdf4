/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of small integers with scales of both, x2 in the layout of matrix products.
 */
#ifndef OP_API_INC_QUANT_MATMUL_NZ
#define OP_API_INC_QUANT_MATMUL_NZ

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = (x1 x2 + bias) x2Scale x1Scale + x2Offset with a bias of INT32, out = x1 x2 x2Scale
 * x1Scale + bias with another. Sums are exact in 32 bits, which wrap beyond; then each operation
 * is one of FLOAT, rounded, from left to right, so results are the same on every CPU. An optional
 * tensor without elements counts as NULL.
 *
 * - x1: (..., m, k), or (..., k, m) where transposeX1 is true. INT8 with any strides; INT4, two to
 *   a byte and the element of even number in the low half; or INT32, each of which holds eight
 *   INT4, the first one lowest, along the last axis. Of INT4 only the last two axes may be
 *   transposed in memory. k at least 1; up to four axes of a batch in front.
 * - x2: (..., k, n), or (..., n, k) where transposeX2 is true; INT8 where x1 is, else INT4 or
 *   INT32. Batches broadcast. Its last two axes are those of the plain layout: FRACTAL_NZ is taken
 * as ND.
 * - x1Scale: NULL for 1, or FLOAT (m) or (1); only where x2Scale is FLOAT or BF16 and out FLOAT16
 *   or BF16.
 * - x2Scale: (n) or (1). FLOAT or BF16; or UINT64 or INT64 as aclnnTransQuantParamV2 makes them,
 *   whose FLOAT has 19 bits and which may hold an offset. Not used where out is INT32.
 * - x2Offset: NULL, or FLOAT (n) or (1); only where out is INT8. Where it is NULL, the offset that
 *   a UINT64 or INT64 scale holds is added.
 * - yScale, x1Offset, yOffset: must be NULL or without elements.
 * - bias: NULL; or (n), (1, n) of a matrix, (batch, 1, n) of a batch of one axis. INT32, or FLOAT,
 *   FLOAT16 or BF16 where out is FLOAT16 or BF16 and the scale is FLOAT or BF16.
 * - groupSize: must be 0; scales of groups of terms are refused.
 * - out: (..., m, n), FLOAT16, BF16, INT8 or INT32, any strides. INT8: the nearest whole number,
 *   ties to even, from the nearest end beyond, 0 from a NaN. INT32 is the sum and the bias,
 *   without scale. */
ACLNN_API aclnnStatus aclnnQuantMatmulWeightNzGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *x1Scale, const aclTensor *x2Scale,
    const aclTensor *yScale, const aclTensor *x1Offset, const aclTensor *x2Offset,
    const aclTensor *yOffset, const aclTensor *bias, bool transposeX1, bool transposeX2,
    int64_t groupSize, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnQuantMatmulWeightNz(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
