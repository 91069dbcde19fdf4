/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of layer normalisation. */
#ifndef OP_API_INC_LEVEL2_LAYER_NORM_BACKWARD_H_
#define OP_API_INC_LEVEL2_LAYER_NORM_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With xhat = (input - mean) rstd, g = gradOut weight and n elements in a row: gradInputOut = rstd
 * (g - sum(g) / n - xhat sum(g xhat) / n); gradWeightOut = sum over all rows of gradOut xhat,
 * gradBiasOut of gradOut.
 *
 * - gradOut, input: (A..., R...); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - normalizedShape: R..., the sizes of the last axes; at least one.
 * - mean, rstd: what the forward pass gave: A..., which ones may follow.
 * - weightOptional: R...; NULL: 1.
 * - biasOptional: R...; not read.
 * - outputMask: three flags: which of the results are wanted.
 * - gradInputOut: of input's shape; may be gradOut or input. May be NULL if it is not wanted, as
 *   the others.
 * - gradWeightOut, gradBiasOut: R....
 *
 * Sums over rows are made in double, in parts that the shape alone decides. */
ACLNN_API aclnnStatus aclnnLayerNormBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *input, const aclIntArray *normalizedShape,
    const aclTensor *mean, const aclTensor *rstd, const aclTensor *weightOptional,
    const aclTensor *biasOptional, const aclBoolArray *outputMask, aclTensor *gradInputOut,
    aclTensor *gradWeightOut, aclTensor *gradBiasOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLayerNormBackward(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
