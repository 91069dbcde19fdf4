/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation of a sum. */
#ifndef ACLNN_ADD_LAYER_NORM_H_
#define ACLNN_ADD_LAYER_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x = x1 + x2 + biasOptional; yOut = (x - mean) rstd gamma + beta, mean and variance over the last
 * axes, those of gamma, rstd = 1 / sqrt(variance + epsilon). Computed in double, rounded once:
 * yOut does not see the rounding of xOut.
 *
 * - x1, x2: of one shape (A..., R...); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gamma, beta: R..., of any of these types.
 * - biasOptional: of the shape of x1 or of gamma; NULL: 0.
 * - epsilon: added to the variance.
 * - additionalOutput: whether xOut is written.
 * - yOut: of x1's shape, of any of these types; may be x1 or x2.
 * - meanOut, rstdOut: A..., which ones may follow; NULL: not wanted.
 * - xOut: x, of x1's shape; may be NULL if additionalOutput is false. */
ACLNN_API aclnnStatus aclnnAddLayerNormGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma, const aclTensor *beta,
    const aclTensor *biasOptional, double epsilon, bool additionalOutput, const aclTensor *yOut,
    const aclTensor *meanOut, const aclTensor *rstdOut, const aclTensor *xOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddLayerNorm(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
