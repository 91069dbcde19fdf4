/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation of a weighted sum. */
#ifndef ACLNN_DEEP_NORM_H_
#define ACLNN_DEEP_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* z = alpha x + gx; yOut = (z - mean) rstd gamma + beta, mean and variance over the last axes,
 * those of gamma, rstd = 1 / sqrt(variance + epsilon). Computed in double, rounded once.
 *
 * - x, gx: of one shape (A..., R...); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - beta, gamma: R..., of any of these types.
 * - alpha: the weight of x.
 * - epsilon: added to the variance.
 * - meanOut, rstdOut: A..., which ones may follow.
 * - yOut: of x's shape, of any of these types; may be x or gx. */
ACLNN_API aclnnStatus aclnnDeepNormGetWorkspaceSize(
    const aclTensor *x, const aclTensor *gx, const aclTensor *beta, const aclTensor *gamma,
    double alpha, double epsilon, const aclTensor *meanOut, const aclTensor *rstdOut,
    const aclTensor *yOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDeepNorm(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
