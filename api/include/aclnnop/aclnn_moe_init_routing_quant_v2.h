/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of their experts, with or without a capacity of each, as INT8. */
#ifndef ACLNN_MOE_INIT_ROUTING_QUANT_V2_H_
#define ACLNN_MOE_INIT_ROUTING_QUANT_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnMoeInitRoutingV2, with rows of x as INT8. quantMode 0: whole(x * scale + offset); 1: s =
 * max |x * smooth| / 127 of a row, whole(x * smooth / s), smooth of the row's expert. whole is the
 * nearest integer, ties to even, from -128 to 127, of a NaN 0; each operation is rounded to FLOAT.
 * Rows without a token are zeros.
 *
 * - x: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - expertIdx: INT32, (rows, k). Where experts are counted (dropPadMode 1, counts are asked for, or
 *   each has a scale), a number that is not below expertNum and at least 0 is the stream's error
 *   and is left out.
 * - scaleOptional: FLOAT, (1) with quantMode 0; NULL, (1, columns) or (expertNum, columns) with 1.
 * - offsetOptional: FLOAT, (1) with quantMode 0, else NULL.
 * - activeNum: without a capacity, how many rows expandedXOut has; 0: all.
 * - expertCapacity, expertNum: greater than 0 with dropPadMode 1.
 * - dropPadMode: 0 or 1.
 * - expertTokensCountOrCumsumFlag: expertTokensCountOrCumsumOutOptional is 0 not written, 1 the sum
 *   of tokens up to each expert, 2 the tokens of each. Only with dropPadMode 0.
 * - expertTokensBeforeCapacityFlag: whether expertTokensBeforeCapacityOutOptional is written; only
 *   with dropPadMode 1.
 * - quantMode: 0 or 1.
 * - expandedXOut: INT8, (min(activeNum, rows k), columns), or (expertNum, expertCapacity, columns).
 *   INT4 is refused.
 * - expandedRowIdxOut: INT32, (rows k).
 * - expertTokensCountOrCumsumOutOptional, expertTokensBeforeCapacityOutOptional: NULL, or INT32,
 *   (expertNum).
 * - dynamicQuantScaleOutOptional: FLOAT, s of each row, with quantMode 1; else not written. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingQuantV2GetWorkspaceSize(
    const aclTensor *x, const aclTensor *expertIdx, const aclTensor *scaleOptional,
    const aclTensor *offsetOptional, int64_t activeNum, int64_t expertCapacity, int64_t expertNum,
    int64_t dropPadMode, int64_t expertTokensCountOrCumsumFlag, bool expertTokensBeforeCapacityFlag,
    int64_t quantMode, const aclTensor *expandedXOut, const aclTensor *expandedRowIdxOut,
    const aclTensor *expertTokensCountOrCumsumOutOptional,
    const aclTensor *expertTokensBeforeCapacityOutOptional,
    const aclTensor *dynamicQuantScaleOutOptional, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingQuantV2(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
