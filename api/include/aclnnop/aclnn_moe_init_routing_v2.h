/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of their experts, with or without a capacity of each. */
#ifndef ACLNN_MOE_INIT_ROUTING_V2_H_
#define ACLNN_MOE_INIT_ROUTING_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Positions i k + j of expertIdx are sorted by their experts, stably. expandedRowIdxOut[position]
 * is the row of expandedXOut that holds row i of x. With dropPadMode 1 an expert has
 * expertCapacity rows: those without a token are zeros, and positions beyond have -1.
 *
 * - x: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - expertIdx: INT32, (rows, k). Where experts are counted (dropPadMode 1, or counts are asked
 *   for), a number that is not below expertNum and at least 0 is the stream's error and is left
 *   out.
 * - activeNumOptional: without a capacity, how many rows expandedXOut has; 0: all.
 * - expertCapacityOptional, expertNumOptional: greater than 0 with dropPadMode 1.
 * - dropPadModeOptional: 0 or 1.
 * - expertTokensCountOrCumsumFlagOptional: expertTokensCountOrCumsumOutOptional is 0 not written,
 *   1 the sum of tokens up to each expert, 2 the tokens of each. Only with dropPadMode 0.
 * - expertTokensBeforeCapacityFlagOptional: whether expertTokensBeforeCapacityOutOptional is
 *   written; only with dropPadMode 1.
 * - expandedXOut: x's type, (min(activeNum, rows * k), columns), or (expertNum, expertCapacity,
 *   columns).
 * - expandedRowIdxOut: INT32, (rows * k).
 * - expertTokensCountOrCumsumOutOptional, expertTokensBeforeCapacityOutOptional: NULL, or INT32,
 *   (expertNum). */
ACLNN_API aclnnStatus aclnnMoeInitRoutingV2GetWorkspaceSize(
    const aclTensor *x, const aclTensor *expertIdx, int64_t activeNumOptional,
    int64_t expertCapacityOptional, int64_t expertNumOptional, int64_t dropPadModeOptional,
    int64_t expertTokensCountOrCumsumFlagOptional, bool expertTokensBeforeCapacityFlagOptional,
    const aclTensor *expandedXOut, const aclTensor *expandedRowIdxOut,
    const aclTensor *expertTokensCountOrCumsumOutOptional,
    const aclTensor *expertTokensBeforeCapacityOutOptional, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingV2(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
