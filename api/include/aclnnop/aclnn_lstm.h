/* SPDX-License-Identifier: Apache-2.0 */
/* A network of long short-term memory. */
#ifndef OP_API_INC_LSTM_H_
#define OP_API_INC_LSTM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* output and the last states of a network as torch.nn.LSTM. At each time, of h and c of the time
 * before:
 *     i, f, o = sigmoid(W_ih x + b_ih + W_hh h + b_hh), g = tanh(the same)
 *     c' = f c + i g, h' = o tanh(c')
 * Rows of the weights are the gates' in the order i, f, g, o. The input of a layer behind the
 * first is h of the one before, its directions side by side.
 *
 * - input: (T, B, inputs), or (B, T, inputs) with batchFirst; FLOAT, FLOAT16 or BF16, as all
 *   tensors.
 * - params: for each layer, and in it for each direction: W_ih (4 H, inputs), W_hh (4 H, H), and
 *   with hasBias b_ih and b_hh (4 H).
 * - hx: h and c before the first time, (layers directions, B, H) each; NULL or empty: 0.
 * - batchSizes: NULL, or empty: sequences of different lengths are refused.
 * - hasBias, numLayers, bidirectional, batchFirst: as torch.nn.LSTM has them; 1 to 1024 layers.
 * - dropout: 0 unless there is one layer, which has none.
 * - train: whether what the gradient needs is written.
 * - output: (T, B, directions H), or (B, T, directions H) with batchFirst.
 * - hy, cy: h and c of the last time, (layers directions, B, H).
 * - iOut, jOut, fOut, oOut, hOut, cOut, tanhCOut: with train lists of a tensor (T, B, H) for each
 *   layer and direction: i, g, f, o, h, c and tanh(c). Without train they are not looked at.
 *
 * Computed in double, and rounded once where results are stored. */
ACLNN_API aclnnStatus aclnnLSTMGetWorkspaceSize(
    const aclTensor *input, const aclTensorList *params, const aclTensorList *hx,
    const aclTensor *batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
    bool bidirectional, bool batchFirst, aclTensor *output, aclTensor *hy, aclTensor *cy,
    aclTensorList *iOut, aclTensorList *jOut, aclTensorList *fOut, aclTensorList *oOut,
    aclTensorList *hOut, aclTensorList *cOut, aclTensorList *tanhCOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLSTM(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
