/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of experts, summed for each token. */
#ifndef OP_API_INC_GROUPED_MATMUL_FINALIZE_ROUTING_H
#define OP_API_INC_GROUPED_MATMUL_FINALIZE_ROUTING_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of x go to experts in turn, as groupListOptional says; their products are added to the rows
 * of y that rowIndexOptional names:
 *
 *     p = x w scaleOptional pertokenScaleOptional                          w INT8
 *     p = (sum of ((x - 8) w) scaleOptional + biasOptional) pertokenScaleOptional     w INT4
 *     y[j] = sharedInputWeight sharedInputOptional[j - sharedInputOffset]
 *            + the sum over rows i of groups with rowIndexOptional[i] = j of logitOptional[i] p[i]
 *
 * Sums of integers are exact, each other operation is one of FLOAT, rounded, in that order, i
 * ascending: the same bits for any number of threads. What is NULL is left out; rows of y to which
 * nothing is added are 0. The products are FLOAT (m, n) in the workspace.
 *
 * - x: (m, k), INT8, any strides.
 * - w: (experts, k, n), INT8, or INT4 or INT32 as aclnnGroupedMatmulSwigluQuant takes them, of five
 *   dimensions too.
 * - scaleOptional: (experts, n) or (experts, 1, n), FLOAT, FLOAT16 or BF16; where w is INT4 UINT64
 *   or INT64, whose lower half holds the upper 19 bits of a FLOAT, and (experts, parts, n) too.
 * - biasOptional: (experts, n); where w is INT4 FLOAT, which must be given and stands for the 8:
 *   8 (sums of the scaled columns of w); else NULL, or BF16 or FLOAT, added to p.
 * - pertokenScaleOptional, logitOptional: NULL for 1, or FLOAT (m).
 * - groupListOptional: INT64, at most as many numbers as experts, read on the stream. groupListType
 *   0: where the rows of each group end; 1: how many rows it has. What cannot be is not followed,
 *   nor are the groups behind it: the stream's error names it. Rows of no group count for nothing.
 * - sharedInputOptional: NULL, or BF16 (b, n), b + sharedInputOffset at most y's rows.
 * - rowIndexOptional: INT64 or INT32 (m), read on the stream. A number that is no row of y is not
 *   followed: the stream's error names it.
 * - dtype: 0, FLOAT. transposeX: false. transposeW: w is (experts, n, k), only INT8.
 * - y: (rows, n), FLOAT, any strides. */
ACLNN_API aclnnStatus aclnnGroupedMatmulFinalizeRoutingGetWorkspaceSize(
    const aclTensor *x, aclTensor *w, const aclTensor *scaleOptional, const aclTensor *biasOptional,
    const aclTensor *pertokenScaleOptional, const aclTensor *groupListOptional,
    const aclTensor *sharedInputOptional, const aclTensor *logitOptional,
    const aclTensor *rowIndexOptional, int64_t dtype, float sharedInputWeight,
    int64_t sharedInputOffset, bool transposeX, bool transposeW, int64_t groupListType,
    aclTensor *y, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupedMatmulFinalizeRouting(void *workspace, uint64_t workspaceSize,
                                                        aclOpExecutor *executor,
                                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
