/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of experts through gated units, as INT8. */
#ifndef OP_API_INC_GROUPED_MATMUL_SWIGLU_QUANT_H
#define OP_API_INC_GROUPED_MATMUL_SWIGLU_QUANT_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of x go to experts in turn, as groupList says. For each row, with the matrix of its expert,
 *
 *     c = x weight weightScale xScale                                     weight INT8
 *     c = (sum over parts of ((x - 8) weight) weightScale + bias) xScale  weight INT4
 *     s = silu(a) b of the two halves of c
 *     outputScale = max |s| / 127, output = nearest(s / outputScale)
 *
 * Sums of integers are exact, each other operation is one of FLOAT, rounded, from left to right;
 * nearest: ties to even, 0 from a NaN, so a row of zeros is 0. CANN takes x apart into upper and
 * lower four bits, which is where the 8 is from: with bias = 8 (sums of the scaled columns of the
 * weight) it is the plain product. The products are FLOAT (m, n) in the workspace.
 *
 * - x: (m, k), INT8, any strides.
 * - weight: (experts, k, n), n even. INT8, any strides; INT4, two to a byte, the low half first, or
 *   INT32, each of which holds eight INT4 along the last axis, the first one lowest: rows dense and
 *   beginning at whole bytes. FRACTAL_NZ of such a shape is taken as ND. Of five dimensions
 *   (experts, n / 32, k / 16, 16, 32), INT4 (experts, n / 64, k / 16, 16, 64), rounded up, dense,
 * it is read as FRACTAL_NZ lies, by way of the workspace.
 * - bias: FLOAT (experts, n) where weight is INT4, else NULL. offset, outputOffset: must be NULL.
 * - weightScale: (experts, n), or (experts, parts, n) where weight is INT4, of parts of k / parts
 *   terms. FLOAT, FLOAT16 or BF16; of INT4 UINT64 or INT64, whose lower half holds the upper 19
 *   bits of a FLOAT.
 * - xScale: FLOAT (m).
 * - groupList: INT64, at most as many numbers as experts: where the rows of each group end, read on
 *   the stream: not negative, not decreasing, none beyond m. What breaks this is not followed, nor
 *   are the groups behind it: the stream's error names it.
 * - output: (m, n / 2), INT8. outputScale: (m), FLOAT. Any strides; rows behind the last group
 *   keep what they hold. */
ACLNN_API aclnnStatus aclnnGroupedMatmulSwigluQuantGetWorkspaceSize(
    const aclTensor *x, const aclTensor *weight, const aclTensor *bias, const aclTensor *offset,
    const aclTensor *weightScale, const aclTensor *xScale, const aclTensor *groupList,
    aclTensor *output, aclTensor *outputScale, aclTensor *outputOffset, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupedMatmulSwigluQuant(void *workspace, uint64_t workspaceSize,
                                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
