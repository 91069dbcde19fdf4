/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of those of their experts that are here, as they are or as INT8. */
#ifndef ACLNN_MOE_INIT_ROUTING_V3_H_
#define ACLNN_MOE_INIT_ROUTING_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Positions i k + j of expertIdx whose expert is in [begin, end) are sorted by their experts,
 * stably; others are left out. Sorted number n of position p is row n of expandedXOut, the row
 * i = p / k of x. With dropPadMode 1 an expert has expertCapacity rows: those without a token are
 * zeros, and positions beyond have none. Rows that nothing is for are zeros.
 *
 * quantMode 0: whole(x * scale + offset); 1: s = max |x * smooth| / 127 of a row, whole(x * smooth
 * / s), smooth of the row's expert. whole is the nearest integer, ties to even, from -128 to 127,
 * of a NaN 0; each operation is rounded to FLOAT.
 *
 * - x: FLOAT, FLOAT16 or BF16, (rows, columns); INT8 with quantMode -1.
 * - expertIdx: INT32, (rows, k). A number that is not below expertNum and at least 0 is the
 * stream's error and is left out.
 * - scaleOptional: FLOAT. quantMode -1: NULL, or (rows), copied to expandedScaleOut as rows of x
 *   are. 0: (1). 1: NULL, (1, columns) or (end - begin, columns).
 * - offsetOptional: FLOAT, (1) with quantMode 0, else NULL.
 * - activeNum: without a capacity, how many rows expandedXOut has at most; 0: all.
 * - expertCapacity, expertNum: greater than 0; the capacity only with dropPadMode 1.
 * - dropPadMode: 0 or 1.
 * - expertTokensNumType: expertTokensCountOrCumsumOut is 0 the sum of tokens up to each expert, 1
 *   the tokens of each, 2 pairs of an expert and its tokens, of those that have some, and zeros
 *   behind them. Tokens beyond a capacity count; with dropPadMode 1 it must be 1.
 * - expertTokensNumFlag: whether it is written.
 * - quantMode: -1, 0 or 1; the FP8, HIF8 and INT4 ones of later chips are refused.
 * - activeExpertRangeOptional: begin and end, a part of the experts; NULL: all.
 * - rowIdxType: expandedRowIdxOut is 0: [p] = row of expandedXOut; 1: [n] = p. What is left out is
 *   -1. With dropPadMode 1 it must be 0.
 * - expandedXOut: x's type, or INT8, (min(activeNum, rows k), columns), or (expertNum,
 *   expertCapacity, columns).
 * - expandedRowIdxOut: INT32, (rows k).
 * - expertTokensCountOrCumsumOut: INT64, (end - begin), or (expertNum, 2).
 * - expandedScaleOut: FLOAT, an element for each row of expandedXOut: s, or what scaleOptional
 *   gives. Not written, and may be NULL, where there is neither. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingV3GetWorkspaceSize(
    const aclTensor *x, const aclTensor *expertIdx, const aclTensor *scaleOptional,
    const aclTensor *offsetOptional, int64_t activeNum, int64_t expertCapacity, int64_t expertNum,
    int64_t dropPadMode, int64_t expertTokensNumType, bool expertTokensNumFlag, int64_t quantMode,
    const aclIntArray *activeExpertRangeOptional, int64_t rowIdxType, const aclTensor *expandedXOut,
    const aclTensor *expandedRowIdxOut, const aclTensor *expertTokensCountOrCumsumOut,
    const aclTensor *expandedScaleOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingV3(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
