/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of a sum by the root of its mean square, as small integers by scales that each row
 * makes. */
#ifndef OP_API_INC_LEVEL2_ADD_RMS_NORM_DYNAMIC_QUANT_H_
#define OP_API_INC_LEVEL2_ADD_RMS_NORM_DYNAMIC_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x = x1 + x2; y = x rstd gamma, rstd = 1 / sqrt(mean(x^2) + epsilon) over the last axis; r = y
 * smoothScale1; scale1Out = max |r| / 127 of a row, y1Out = round(r / scale1Out); the second
 * results the same by smoothScale2. y is FLOAT and does not see the rounding of xOut; ties round to
 * even, a NaN becomes 0, as does a row of zeros, whose scale is 0.
 *
 * - x1, x2: of one shape (A..., n), 2 to 8 dimensions; FLOAT, FLOAT16 or BF16.
 * - gamma: (n), of any of these types.
 * - smoothScale1Optional, smoothScale2Optional: NULL for 1; or (n), of any of these types. The
 *   second one goes with the first. Without it y2Out and scale2Out are not written, and may have
 * any shape.
 * - epsilon: added to the mean of the squares.
 * - y1Out, y2Out: x1's shape, or (rows, n), rows being A... as one; INT8.
 * - xOut: x, of x1's shape, of any of these types.
 * - scale1Out, scale2Out: A..., or (rows); FLOAT. */
ACLNN_API aclnnStatus aclnnAddRmsNormDynamicQuantGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma,
    const aclTensor *smoothScale1Optional, const aclTensor *smoothScale2Optional, double epsilon,
    const aclTensor *y1Out, const aclTensor *y2Out, const aclTensor *xOut,
    const aclTensor *scale1Out, const aclTensor *scale2Out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddRmsNormDynamicQuant(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
