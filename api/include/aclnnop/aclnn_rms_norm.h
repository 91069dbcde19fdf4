/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation by the root of the mean square. */
#ifndef ACLNN_RMS_NORM_H_
#define ACLNN_RMS_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* yOut = x rstd gamma, rstd = 1 / sqrt(mean(x^2) + epsilon) over the last axes, those of gamma, as
 * torch.nn.functional.rms_norm. Computed in double, rounded once.
 *
 * - x: FLOAT, FLOAT16, BF16 or DOUBLE, (A..., R...).
 * - gamma: R..., of any of these types.
 * - epsilon: added to the mean of the squares.
 * - yOut: of x's shape, of any of these types; may be x.
 * - rstdOut: A..., which ones may follow; NULL: not wanted. */
ACLNN_API aclnnStatus aclnnRmsNormGetWorkspaceSize(const aclTensor *x, const aclTensor *gamma,
                                                   double epsilon, const aclTensor *yOut,
                                                   const aclTensor *rstdOut,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRmsNorm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
