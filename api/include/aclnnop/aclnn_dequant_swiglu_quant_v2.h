/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of small integers through gated units of some kinds, as INT8. */
#ifndef ACLNN_DEQUANT_SWIGLU_QUANT_V2_H_
#define ACLNN_DEQUANT_SWIGLU_QUANT_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnDequantSwigluQuant, and
 *
 * - quantScaleOptional: must be given where quantModeOptional is static; quantOffsetOptional must
 * be NULL where it is dynamic.
 * - groupIndexOptional: INT64 (groups); or (groups, 2), pairs of the number of a group, whose
 *   factors are taken, and how many rows it has.
 * - dstType: 2, INT8. roundModeOptional: "rint" or NULL. activateDim: -1 or x's last dimension;
 *   others are refused.
 * - swigluMode: 0 as there. With a' = min(a, clampLimit) and b' = b between -clampLimit and
 *   clampLimit, 1 and 2: s = a' sigmoid(gluAlpha a') (b' + gluBias), 1 of the elements of even (a)
 *   and of odd (b) number, activateLeft true, 2 of the halves; 3: s = min(silu(a), clampLimit) b'.
 *   A NaN stays one.
 * - clampLimit: above 0 and finite, where swigluMode is not 0. It, gluAlpha and gluBias are rounded
 *   to FLOAT. */
ACLNN_API aclnnStatus aclnnDequantSwigluQuantV2GetWorkspaceSize(
    const aclTensor *x, const aclTensor *weightScaleOptional,
    const aclTensor *activationScaleOptional, const aclTensor *biasOptional,
    const aclTensor *quantScaleOptional, const aclTensor *quantOffsetOptional,
    const aclTensor *groupIndexOptional, bool activateLeft, char *quantModeOptional,
    int64_t dstType, char *roundModeOptional, int64_t activateDim, int64_t swigluMode,
    double clampLimit, double gluAlpha, double gluBias, const aclTensor *yOut,
    const aclTensor *scaleOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDequantSwigluQuantV2(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
