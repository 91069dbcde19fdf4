/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of aclnnMoeFinalizeRoutingV2. */
#ifndef ACLNN_MOE_FINALIZE_ROUTING_V2GRAD_H_
#define ACLNN_MOE_FINALIZE_ROUTING_V2GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of positions p = i k + j, and r = expandedRowIdx[p]:
 *     gradExpandedXOut[r] = gradY[i] * scales[i][j]
 *     gradScalesOut[i][j] = sum over columns of (expandedX[r] + bias[expertIdx[p]]) * gradY[i]
 * Rows that no position names are zeros. An r of -1 (dropPadMode 1), or behind the rows of
 * gradExpandedXOut (activeNum), names none, and its expandedX is zeros. Any other place and expert
 * that is not there is not followed: the stream's error names it. In FLOAT, rounded once.
 *
 * - gradY: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - expandedRowIdx: INT32, rows k elements.
 * - expandedXOptional: gradExpandedXOut's shape, gradY's type; needed with scalesOptional.
 * - scalesOptional: FLOAT, FLOAT16 or BF16, (rows, k); NULL: 1, and k is 1.
 * - expertIdxOptional: INT32, (rows, k); needed with biasOptional.
 * - biasOptional: gradY's type, (experts, columns).
 * - dropPadMode: 0 or 1.
 * - activeNum: with dropPadMode 0, how many rows gradExpandedXOut has at most; 0: all.
 * - expertNum, expertCapacity: greater than 0 with dropPadMode 1.
 * - gradExpandedXOut: gradY's type, (min(activeNum, rows k), columns), or (expertNum,
 *   expertCapacity, columns).
 * - gradScalesOut: scalesOptional's type and shape; not written without it. */
ACLNN_API aclnnStatus aclnnMoeFinalizeRoutingV2GradGetWorkspaceSize(
    const aclTensor *gradY, const aclTensor *expandedRowIdx, const aclTensor *expandedXOptional,
    const aclTensor *scalesOptional, const aclTensor *expertIdxOptional,
    const aclTensor *biasOptional, int64_t dropPadMode, int64_t activeNum, int64_t expertNum,
    int64_t expertCapacity, const aclTensor *gradExpandedXOut, const aclTensor *gradScalesOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeFinalizeRoutingV2Grad(void *workspace, uint64_t workspaceSize,
                                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
