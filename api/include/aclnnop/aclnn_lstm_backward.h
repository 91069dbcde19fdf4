/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a network of long short-term memory. */
#ifndef OP_API_INC_LSTM_BACKWARD_H_
#define OP_API_INC_LSTM_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradients of aclnnLSTM by its input, weights and initial states, as PyTorch's automatic
 * differentiation of torch.nn.LSTM has them.
 *
 * - input, hx, params: as of aclnnLSTM; hx has both tensors.
 * - dy: the gradient of output; NULL: 0.
 * - dh, dc: the gradients of hy and cy; NULL: 0.
 * - i, g, f, o, h, c, tanhc: what aclnnLSTM wrote with train.
 * - batchSizesOptional: NULL, or empty.
 * - hasBias, numLayers, bidirectional, batchFirst: as of aclnnLSTM.
 * - dropout, train, outputMask: not looked at but that dropout is 0 unless there is one layer: all
 *   gradients are made.
 * - dxOut: of input's shape.
 * - dhPrevOut, dcPrevOut: of the initial states' shape.
 * - dparamsOut: a list like params.
 *
 * Computed in double, and rounded once where results are stored. */
ACLNN_API aclnnStatus aclnnLstmBackwardGetWorkspaceSize(
    const aclTensor *input, const aclTensorList *hx, const aclTensorList *params,
    const aclTensor *dy, const aclTensor *dh, const aclTensor *dc, const aclTensorList *i,
    const aclTensorList *g, const aclTensorList *f, const aclTensorList *o, const aclTensorList *h,
    const aclTensorList *c, const aclTensorList *tanhc, const aclTensor *batchSizesOptional,
    bool hasBias, int64_t numLayers, double dropout, bool train, bool bidirectional,
    bool batchFirst, const aclBoolArray *outputMask, aclTensor *dxOut, aclTensor *dhPrevOut,
    aclTensor *dcPrevOut, aclTensorList *dparamsOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLstmBackward(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
