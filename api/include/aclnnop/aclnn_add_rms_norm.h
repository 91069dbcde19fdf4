/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of a sum by the root of its mean square. */
#ifndef ACLNN_ADD_RMS_NORM_H_
#define ACLNN_ADD_RMS_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x = x1 + x2; yOut = x rstd gamma, rstd = 1 / sqrt(mean(x^2) + epsilon) over the last axes, those
 * of gamma. Computed in double, rounded once: yOut does not see the rounding of xOut.
 *
 * - x1, x2: of one shape (A..., R...); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gamma: R..., of any of these types.
 * - epsilon: added to the mean of the squares.
 * - yOut: of x1's shape, of any of these types; may be x1 or x2.
 * - rstdOut: A..., which ones may follow; NULL: not wanted.
 * - xOut: x, of x1's shape; NULL: not wanted. */
ACLNN_API aclnnStatus aclnnAddRmsNormGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma, double epsilon,
    const aclTensor *yOut, const aclTensor *rstdOut, const aclTensor *xOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddRmsNorm(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
