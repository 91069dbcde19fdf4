/* SPDX-License-Identifier: Apache-2.0 */
/* What an LSTM cell does behind its matrix products. */
#ifndef OP_API_INC_THNN_FUSED_LSTM_CELL_H_
#define OP_API_INC_THNN_FUSED_LSTM_CELL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gates = inputGates + hiddenGates + inputBiasOptional + hiddenBiasOptional, four parts of hidden
 * columns each: i = sigmoid, g = tanh, f = sigmoid, o = sigmoid. cyOut = f cx + i g, hyOut = o
 * tanh(cyOut), storageOut = i, g, f, o side by side. Half types are computed in FLOAT and rounded
 * once.
 *
 * - inputGates, hiddenGates: [batch, 4 hidden], FLOAT, FLOAT16, BF16 or DOUBLE; all tensors are
 *   of one type.
 * - cx: [batch, hidden].
 * - inputBiasOptional, hiddenBiasOptional: [4 hidden]; both or none.
 * - hyOut, cyOut: as cx. storageOut: as inputGates. */
ACLNN_API aclnnStatus aclnnThnnFusedLstmCellGetWorkspaceSize(
    const aclTensor *inputGates, const aclTensor *hiddenGates, const aclTensor *cx,
    const aclTensor *inputBiasOptional, const aclTensor *hiddenBiasOptional, aclTensor *hyOut,
    aclTensor *cyOut, aclTensor *storageOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnThnnFusedLstmCell(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
