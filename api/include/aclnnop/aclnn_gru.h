/* SPDX-License-Identifier: Apache-2.0 */
/* A network of gated recurrent units. */
#ifndef OP_API_INC_GRU_H_
#define OP_API_INC_GRU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* output and the last states of a network as torch.nn.GRU. At each time, of h of the time before:
 *     r, z = sigmoid(W_ih x + b_ih + W_hh h + b_hh)
 *     n = tanh(W_ih x + b_ih + r (W_hh h + b_hh))
 *     h' = (1 - z) n + z h
 * Rows of the weights are the gates' in the order r, z, n. The input of a layer behind the first
 * is h of the one before, its directions side by side.
 *
 * - input: (T, B, inputs), or (B, T, inputs) with batchFirst; FLOAT, FLOAT16 or BF16, as all
 *   tensors.
 * - params: for each layer, and in it for each direction: W_ih (3 H, inputs), W_hh (3 H, H), and
 *   with hasBias b_ih and b_hh (3 H).
 * - hx: h before the first time, (layers directions, B, H); NULL: 0.
 * - batchSizes: NULL, or empty: sequences of different lengths are refused.
 * - hasBias, numLayers, bidirection, batchFirst: as torch.nn.GRU has them; 1 to 1024 layers.
 * - dropout: without effect, as CANN has it.
 * - train: whether what the gradient needs is written.
 * - output: (T, B, directions H), or (B, T, directions H) with batchFirst.
 * - hy: h of the last time, (layers directions, B, H).
 * - rOut, zOut, nOut, hnOut, hOut: with train lists of a tensor (T, B, H) for each layer and
 *   direction: r, z, n, W_hh h + b_hh of n, and h. Without train they are not looked at.
 *
 * Computed in double, and rounded once where results are stored. */
ACLNN_API aclnnStatus aclnnGRUGetWorkspaceSize(
    const aclTensor *input, const aclTensorList *params, const aclTensor *hx,
    const aclTensor *batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
    bool bidirection, bool batchFirst, aclTensor *output, aclTensor *hy, aclTensorList *rOut,
    aclTensorList *zOut, aclTensorList *nOut, aclTensorList *hnOut, aclTensorList *hOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGRU(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
