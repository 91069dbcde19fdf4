/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of small integers through gated units, as INT8. */
#ifndef ACLNN_DEQUANT_SWIGLU_QUANT_H_
#define ACLNN_DEQUANT_SWIGLU_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* d = (x + biasOptional) weightScaleOptional activationScaleOptional with a bias of INT32, d = x
 * weightScaleOptional activationScaleOptional + biasOptional with another; d = x where x is not
 * INT32. s = silu(a) b of the two halves of a row of d, and
 *
 *     dynamic  scaleOut = max |s quantScaleOptional| / 127 of a row,
 *              yOut = nearest(s quantScaleOptional / scaleOut)
 *     static   yOut = nearest(s / quantScaleOptional + quantOffsetOptional); scaleOut stays as it
 * is
 *
 * What is NULL is left out. Sums of INT32 wrap; each other operation is one of FLOAT, rounded.
 * nearest: ties to even, the nearest end beyond INT8, 0 from a NaN; so a row of zeros is 0.
 *
 * - x: (A..., 2 n) of 2 to 8 dimensions, n not odd: INT32, FLOAT16 or BF16.
 * - weightScaleOptional: FLOAT (2 n) or (1, 2 n), with groups (groups, 2 n). Where x is INT32 it
 *   must be given, else it, activationScaleOptional and biasOptional must be NULL.
 * - activationScaleOptional: NULL, or FLOAT of as many elements as x has rows, any shape.
 * - biasOptional: NULL, or shaped as weightScaleOptional; FLOAT, FLOAT16, BF16 or INT32.
 * - quantScaleOptional: NULL for 1, or FLOAT (n) or (1, n), or one number (1); with groups
 *   (groups, n) or (groups).
 * - quantOffsetOptional: NULL, or FLOAT shaped as quantScaleOptional, which must be given then. Not
 *   used where quantModeOptional is dynamic.
 * - groupIndexOptional: NULL for one group of all rows, or INT32 or INT64 (groups): how many rows
 *   each group has, one behind the other, read on the stream. A negative number, or rows that are
 *   not there, are not followed, nor are the groups behind: the stream's error names the element.
 *   Rows behind the last group keep what yOut and scaleOut hold.
 * - activateLeft: the left half of a row is a, else the right one.
 * - quantModeOptional: "dynamic" or "static"; NULL is "static".
 * - yOut: (A..., n), INT8. scaleOut: (A...), FLOAT. Any strides. */
ACLNN_API aclnnStatus aclnnDequantSwigluQuantGetWorkspaceSize(
    const aclTensor *x, const aclTensor *weightScaleOptional,
    const aclTensor *activationScaleOptional, const aclTensor *biasOptional,
    const aclTensor *quantScaleOptional, const aclTensor *quantOffsetOptional,
    const aclTensor *groupIndexOptional, bool activateLeft, char *quantModeOptional,
    const aclTensor *yOut, const aclTensor *scaleOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDequantSwigluQuant(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
