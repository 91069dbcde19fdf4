/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation. */
#ifndef OP_API_INC_FAST_LAYER_NORM_H_
#define OP_API_INC_FAST_LAYER_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = (input - mean) rstd weight + bias, mean and variance over the last axes, rstd = 1 /
 * sqrt(variance + eps), as torch.nn.functional.layer_norm. The variance is that of all elements,
 * made in two passes in double; results are rounded once.
 *
 * - input: FLOAT, FLOAT16, BF16 or DOUBLE, (A..., R...).
 * - normalizedShape: R..., the sizes of the last axes; at least one.
 * - weightOptional: R..., of any of these types; NULL: 1.
 * - biasOptional: R..., of any of these types; NULL: 0.
 * - eps: added to the variance.
 * - out: of input's shape, of any of these types; may be input.
 * - meanOutOptional, rstdOutOptional: A..., which ones may follow; of any of these types; NULL:
 *   not wanted. */
ACLNN_API aclnnStatus aclnnFastLayerNormGetWorkspaceSize(
    const aclTensor *input, const aclIntArray *normalizedShape, const aclTensor *weightOptional,
    const aclTensor *biasOptional, double eps, aclTensor *out, aclTensor *meanOutOptional,
    aclTensor *rstdOutOptional, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFastLayerNorm(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
