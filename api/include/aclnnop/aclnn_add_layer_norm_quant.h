/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation of a sum, as small integers by one scale or two. */
#ifndef OP_API_INC_LEVEL2_ADD_LAYER_NORM_QUANT_H_
#define OP_API_INC_LEVEL2_ADD_LAYER_NORM_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x = x1 + x2 + bias; y = (x - mean) rstd gamma + beta over the last axes, those of gamma. y is
 * FLOAT and does not see the rounding of xOut.
 *
 * "static": y1Out = round(y / scales1 + zeroPoints1), or of y scales1 where divMode is false.
 * "dynamic": r = y scales1, outScales1Out = max |r| / 127 of a row, y1Out = round(r /
 * outScales1Out); gamma has one dimension, x1 two at least. y2Out and outScales2Out the same by the
 * other arguments. Ties round to even, numbers beyond INT8 become its nearest end, a NaN 0, as does
 * a row of zeros with a scale of its own.
 *
 * - x1, x2: of one shape (A..., R...), 1 to 8 dimensions; FLOAT, FLOAT16 or BF16.
 * - gamma, beta: R..., of any of these types.
 * - biasOptional: NULL for 0; or R..., or x1's shape; of any of these types.
 * - scales1Optional, scales2Optional: R..., of any of these types. NULL for 1, only the first and
 *   only if dynamic; the second one NULL: y2Out and outScales2Out are not written.
 * - zeroPoints1Optional, zeroPoints2Optional: NULL for 0; if static also R..., INT32, INT8 or of
 * any of these types; both or none where both scales are there.
 * - quantMode: "static" or "dynamic".
 * - epsilon: added to the variance.
 * - additionalOutput: whether xOut is written.
 * - y1Out, y2Out: x1's shape, INT8. xOut: x, of x1's shape, of any of these types.
 * - outScales1Out, outScales2Out: if dynamic x1's shape less the last dimension, FLOAT; else not
 *   written. What is not written may have any shape. */
ACLNN_API aclnnStatus aclnnAddLayerNormQuantGetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma, const aclTensor *beta,
    const aclTensor *biasOptional, const aclTensor *scales1Optional,
    const aclTensor *scales2Optional, const aclTensor *zeroPoints1Optional,
    const aclTensor *zeroPoints2Optional, const char *quantMode, double epsilon,
    bool additionalOutput, bool divMode, aclTensor *y1Out, aclTensor *y2Out, aclTensor *xOut,
    aclTensor *outScales1Out, aclTensor *outScales2Out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddLayerNormQuant(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
