/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of aclnnThnnFusedLstmCell. */
#ifndef OP_API_INC_THNN_FUSED_LSTM_CELL_BACKWARD_H_
#define OP_API_INC_THNN_FUSED_LSTM_CELL_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gradients of the gates before their functions, of cx and of the biases. A gradient that is NULL
 * is 0. Half types are computed in FLOAT and rounded once.
 *
 * - gradHyOptional, gradCOptional: the gradients of hy and of cy, [batch, hidden], or NULL.
 * - cx, cy, storage: of the forward call; FLOAT, FLOAT16, BF16 or DOUBLE, all tensors of one
 *   type.
 * - hasBias: whether gradBiasOut is written.
 * - gradGatesOut: [batch, 4 hidden]. gradCxOut: [batch, hidden].
 * - gradBiasOut: [4 hidden], the sum of gradGatesOut's rows; may be NULL if hasBias is false. */
ACLNN_API aclnnStatus aclnnThnnFusedLstmCellBackwardGetWorkspaceSize(
    const aclTensor *gradHyOptional, const aclTensor *gradCOptional, const aclTensor *cx,
    const aclTensor *cy, const aclTensor *storage, bool hasBias, aclTensor *gradGatesOut,
    aclTensor *gradCxOut, aclTensor *gradBiasOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnThnnFusedLstmCellBackward(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
