/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of aclnnDeepNorm. */
#ifndef ACLNN_DEEP_NORM_GRAD_H_
#define ACLNN_DEEP_NORM_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With xhat = (alpha x + gx - mean) rstd, g = dy gamma and n elements in a row: dgxOut = rstd (g -
 * sum(g) / n - xhat sum(g xhat) / n), dxOut = alpha dgxOut; dgammaOut = sum over all rows of dy
 * xhat, dbetaOut of dy.
 *
 * - dy, x, gx: of one shape (A..., R...); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gamma: R....
 * - mean, rstd: what the forward pass gave: A..., which ones may follow.
 * - alpha: the weight of x in the forward pass.
 * - dxOut, dgxOut: of x's shape.
 * - dbetaOut, dgammaOut: R....
 *
 * Sums over rows are made in double, in parts that the shape alone decides. */
ACLNN_API aclnnStatus aclnnDeepNormGradGetWorkspaceSize(
    const aclTensor *dy, const aclTensor *x, const aclTensor *gx, const aclTensor *gamma,
    const aclTensor *mean, const aclTensor *rstd, double alpha, const aclTensor *dxOut,
    const aclTensor *dgxOut, const aclTensor *dbetaOut, const aclTensor *dgammaOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDeepNormGrad(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
