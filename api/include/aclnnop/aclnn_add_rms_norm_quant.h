/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of a sum by the root of its mean square, as small integers by one scale or two. */
#ifndef OP_API_INC_LEVEL2_ADD_RMS_NORM_QUANT_H_
#define OP_API_INC_LEVEL2_ADD_RMS_NORM_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x = x1 + x2; y = x rstd gamma, rstd = 1 / sqrt(mean(x^2) + epsilon) over the last axes, those of
 * gamma; y1Out = round(y / scales1 + zeroPoints1), or of y scales1 where divMode is false; y2Out
 * the same by the other two. y is FLOAT and does not see the rounding of xOut; ties round to even,
 * numbers beyond INT8 become its nearest end, a NaN 0.
 *
 * - x1, x2: of one shape (A..., R...), 1 to 8 dimensions; FLOAT, FLOAT16 or BF16.
 * - gamma: R..., of any of these types.
 * - scales1, scales2Optional: R..., of any of these types. scales2Optional NULL: y2Out is not
 *   written, and may have any shape and type.
 * - zeroPoints1Optional, zeroPoints2Optional: NULL for 0; or R..., INT32, INT8 or of any of these
 *   types.
 * - axis: not used.
 * - epsilon: added to the mean of the squares.
 * - y1Out, y2Out: x1's shape, INT8. xOut: x, of x1's shape, of any of these types. */
ACLNN_API aclnnStatus aclnnAddRmsNormQuantGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma, const aclTensor *scales1,
    const aclTensor *scales2Optional, const aclTensor *zeroPoints1Optional,
    const aclTensor *zeroPoints2Optional, int64_t axis, double epsilon, bool divMode,
    const aclTensor *y1Out, const aclTensor *y2Out, const aclTensor *xOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddRmsNormQuant(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
