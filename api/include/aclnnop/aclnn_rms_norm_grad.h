/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of normalisation by the root of the mean square. */
#ifndef ACLNN_RMS_NORM_GRAD_H_
#define ACLNN_RMS_NORM_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With xhat = x rstd, g = dy gamma and n elements in a row: dxOut = rstd (g - xhat sum(g xhat) /
 * n); dgammaOut = sum over all rows of dy xhat.
 *
 * - dy, x: of one shape (A..., R...); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - rstd: what the forward pass gave: A..., which ones may follow.
 * - gamma: R....
 * - dxOut: of x's shape; may be dy or x.
 * - dgammaOut: R....
 *
 * Sums over rows are made in double, in parts that the shape alone decides. */
ACLNN_API aclnnStatus aclnnRmsNormGradGetWorkspaceSize(
    const aclTensor *dy, const aclTensor *x, const aclTensor *rstd, const aclTensor *gamma,
    const aclTensor *dxOut, const aclTensor *dgammaOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRmsNormGrad(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
