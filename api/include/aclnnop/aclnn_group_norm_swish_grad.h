/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of group normalisation with Swish. */
#ifndef ACLNN_GROUP_NORM_SWISH_GRAD_H_
#define ACLNN_GROUP_NORM_SWISH_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With s = swishScale, xhat = (x - mean) rstd, z = xhat gamma + beta, p = 1 / (1 + exp(-s z)), d =
 * dy p (1 + s z (1 - p)), g = d gamma and n elements in a group: dxOut = rstd (g - sum(g) / n -
 * xhat sum(g xhat) / n); dgammaOut = sum(d xhat), dbetaOut = sum(d) for each channel.
 *
 * - dy, x: (N, C, ...), 2 to 7 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - mean, rstd: (N, numGroups): what the forward pass gave.
 * - gamma, beta: (C).
 * - numGroups, swishScale: as in the forward pass.
 * - dataFormatOptional: "NCHW" or NULL.
 * - dgammaIsRequire, dbetaIsRequire: whether dgammaOut and dbetaOut are wanted; else they may be
 *   NULL.
 * - dxOut: of x's shape; may be dy or x.
 * - dgammaOut, dbetaOut: (C). */
ACLNN_API aclnnStatus aclnnGroupNormSwishGradGetWorkspaceSize(
    const aclTensor *dy, const aclTensor *mean, const aclTensor *rstd, const aclTensor *x,
    const aclTensor *gamma, const aclTensor *beta, int64_t numGroups, char *dataFormatOptional,
    double swishScale, bool dgammaIsRequire, bool dbetaIsRequire, const aclTensor *dxOut,
    const aclTensor *dgammaOut, const aclTensor *dbetaOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupNormSwishGrad(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
