/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of layer normalisation of a sum. */
#ifndef ACLNN_ADD_LAYER_NORM_GRAD_H_
#define ACLNN_ADD_LAYER_NORM_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With xhat = (x1 + x2 - mean) rstd, g = dy gamma and n elements in a row: dxOut = rstd (g -
 * sum(g) / n - xhat sum(g xhat) / n) + dsumOptional; dgammaOut = sum over all rows of dy xhat,
 * dbetaOut of dy.
 *
 * - dy, x1, x2: of one shape (A..., R...); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - rstd, mean: what the forward pass gave: A..., which ones may follow.
 * - gamma: R....
 * - dsumOptional: of dy's shape; NULL: 0.
 * - dxOut: of dy's shape; may be dy, x1 or x2.
 * - dgammaOut, dbetaOut: R....
 *
 * Sums over rows are made in double, in parts that the shape alone decides. */
ACLNN_API aclnnStatus aclnnAddLayerNormGradGetWorkspaceSize(
    const aclTensor *dy, const aclTensor *x1, const aclTensor *x2, const aclTensor *rstd,
    const aclTensor *mean, const aclTensor *gamma, const aclTensor *dsumOptional,
    const aclTensor *dxOut, const aclTensor *dgammaOut, const aclTensor *dbetaOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddLayerNormGrad(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
