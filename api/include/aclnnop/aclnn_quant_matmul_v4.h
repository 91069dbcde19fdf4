/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of small integers with a scale for each row. */
#ifndef OP_API_INC_QUANT_MATMUL_V4
#define OP_API_INC_QUANT_MATMUL_V4

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = (x1 x2 + bias) scale pertokenScale + offset with a bias of INT32, out = x1 x2 scale
 * pertokenScale + bias with another. Sums are exact in 32 bits, which wrap beyond; then each
 * operation is one of FLOAT, rounded, from left to right, so results are the same on every CPU.
 *
 * - x1: (..., m, k), or (..., k, m) where transposeX1 is true. INT8 with any strides; INT4, two to
 *   a byte and the element of even number in the low half; or INT32, each of which holds eight
 *   INT4, the first one lowest, along the last axis. Of INT4 only the last two axes may be
 *   transposed in memory. k at least 1; up to four axes of a batch in front.
 * - x2: (..., k, n), or (..., n, k) where transposeX2 is true; INT8 where x1 is, else INT4 or
 *   INT32. Batches broadcast. FRACTAL_NZ is taken as ND.
 * - scale: (n) or (1). FLOAT or BF16; or UINT64 or INT64 as aclnnTransQuantParamV2 makes them,
 *   whose FLOAT has 19 bits and which may hold an offset. Not used where out is INT32.
 * - offset: NULL, or FLOAT (n) or (1); only where out is INT8. Where it is NULL, the offset that a
 *   UINT64 or INT64 scale holds is added.
 * - pertokenScaleOptional: NULL for 1, or FLOAT (m) or (1); only where scale is FLOAT or BF16 and
 *   out FLOAT16 or BF16.
 * - bias: NULL; or (n), (1, n) of a matrix, (batch, 1, n) of a batch of one axis. INT32, or FLOAT,
 *   FLOAT16 or BF16 where out is FLOAT16 or BF16 and the scale is FLOAT or BF16.
 * - out: (..., m, n), FLOAT16, BF16, INT8 or INT32, any strides. INT8: the nearest whole number,
 *   ties to even, from the nearest end beyond, 0 from a NaN. INT32 is the sum and the bias,
 *   without scale. */
ACLNN_API aclnnStatus aclnnQuantMatmulV4GetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *scale, const aclTensor *offset,
    const aclTensor *pertokenScaleOptional, const aclTensor *bias, bool transposeX1,
    bool transposeX2, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnQuantMatmulV4(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
