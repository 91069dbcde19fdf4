/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of their experts. */
#ifndef ACLNN_MOE_INIT_ROUTING_H_
#define ACLNN_MOE_INIT_ROUTING_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* expertIdx is sorted, stably, and rowIdx with it: expandedExpertIdxOut are the experts,
 * expandedRowIdxOut[sorted rowIdx[i]] = i, expandedXOut[i] = x[sorted rowIdx[i] % rows].
 *
 * - x: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - rowIdx: INT32, (rows, k): rowIdxOut of aclnnMoeGatingTopKSoftmax. A number that is not below
 *   rows * k and at least 0 is the stream's error and is not followed.
 * - expertIdx: INT32, (rows, k), any numbers.
 * - activeNum: expandedXOut holds the first min(activeNum, rows) * k rows.
 * - expandedXOut: x's type, that many rows.
 * - expandedRowIdxOut, expandedExpertIdxOut: INT32, (rows * k). Places that no rowIdx names are
 *   -1. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingGetWorkspaceSize(
    const aclTensor *x, const aclTensor *rowIdx, const aclTensor *expertIdx, int64_t activeNum,
    const aclTensor *expandedXOut, const aclTensor *expandedRowIdxOut,
    const aclTensor *expandedExpertIdxOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeInitRouting(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
