/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of a sum by the root of its mean square, in two types. */
#ifndef ACLNN_ADD_RMS_NORM_CAST_H_
#define ACLNN_ADD_RMS_NORM_CAST_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x = x1 + x2; y1Out = x rstd gamma, rstd = 1 / sqrt(mean(x^2) + epsilon) over the last axes, those
 * of gamma; y2Out = y1Out. Computed in FLOAT or more precisely: y1Out does not see the rounding of
 * xOut, y2Out is y1Out rounded once more.
 *
 * - x1, x2: of one shape (A..., R...); FLOAT, FLOAT16 or BF16.
 * - gamma: R..., of any of these types.
 * - epsilon: added to the mean of the squares.
 * - y1Out: of x1's shape, FLOAT. y2Out: of x1's shape, of any of these types; may be x1 or x2.
 * - rstdOut: A..., which ones may follow; of any of these types.
 * - xOut: x, of x1's shape, of any of these types. */
ACLNN_API aclnnStatus aclnnAddRmsNormCastGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma, double epsilon,
    const aclTensor *y1Out, const aclTensor *y2Out, const aclTensor *rstdOut, const aclTensor *xOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddRmsNormCast(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
