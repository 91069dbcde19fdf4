/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of their experts, as INT8. */
#ifndef ACLNN_MOE_INIT_ROUTING_QUANT_H_
#define ACLNN_MOE_INIT_ROUTING_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnMoeInitRouting, with rows of x as whole(x * scale + offset): the nearest integer, ties to
 * even, from -128 to 127, of a NaN 0; each operation is rounded to FLOAT.
 *
 * - x: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - rowIdx: INT32, expertIdx's shape, each number of [0, rows k) once: i rows + row. One outside of
 *   it is the stream's error and is left out.
 * - expertIdx: INT32, (rows, k).
 * - activeNum: not negative; min(activeNum, rows) k rows are written.
 * - scale, offset: of all numbers.
 * - expandedXOut: INT8, (min(activeNum, rows) k, columns).
 * - expandedRowIdxOut, expandedExpertIdxOut: INT32, (rows k). */
ACLNN_API aclnnStatus aclnnMoeInitRoutingQuantGetWorkspaceSize(
    const aclTensor *x, const aclTensor *rowIdx, const aclTensor *expertIdx, int64_t activeNum,
    double scale, double offset, const aclTensor *expandedXOut, const aclTensor *expandedRowIdxOut,
    const aclTensor *expandedExpertIdxOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingQuant(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
