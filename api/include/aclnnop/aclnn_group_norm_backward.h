/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of group normalisation. */
#ifndef OP_API_INC_GROUP_NORM_BACKWARD_H_
#define OP_API_INC_GROUP_NORM_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With xhat = (input - mean) rstd, g = gradOut gamma and n elements in a group: gradInput = rstd
 * (g - sum(g) / n - xhat sum(g xhat) / n); gradGammaOut = sum(gradOut xhat), gradBetaOut =
 * sum(gradOut) for each channel, over all samples.
 *
 * - gradOut, input: (N, C, ...), 2 to 7 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - mean, rstd: (N, group): what the forward pass gave.
 * - gamma: (C); NULL: 1.
 * - N, C, HxW, group: as in the forward pass.
 * - outputMask: three flags: which of the results are wanted.
 * - gradInput: of input's shape; may be gradOut or input. May be NULL if it is not wanted, as the
 *   others.
 * - gradGammaOut, gradBetaOut: (C). */
ACLNN_API aclnnStatus aclnnGroupNormBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *input, const aclTensor *mean, const aclTensor *rstd,
    const aclTensor *gamma, int64_t N, int64_t C, int64_t HxW, int64_t group,
    const aclBoolArray *outputMask, aclTensor *gradInput, aclTensor *gradGammaOut,
    aclTensor *gradBetaOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupNormBackward(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
