/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a network of gated recurrent units. */
#ifndef OP_API_INC_GRU_BACKWARD_H_
#define OP_API_INC_GRU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradients of aclnnGRU by its input, weights and initial states, as PyTorch's automatic
 * differentiation of torch.nn.GRU has them.
 *
 * - input, params, hx: as of aclnnGRU.
 * - dy: the gradient of output; NULL: 0.
 * - dh: the gradient of hy; NULL: 0.
 * - r, z, n, hn, h: what aclnnGRU wrote with train.
 * - batchSizes: NULL, or empty.
 * - hasBias, numLayers, bidirection, batchFirst: as of aclnnGRU.
 * - dxOut: of input's shape.
 * - dhPrevOut: of hx's shape.
 * - dparamsOut: a list like params.
 *
 * Computed in double, and rounded once where results are stored. */
ACLNN_API aclnnStatus aclnnGRUBackwardGetWorkspaceSize(
    const aclTensor *input, const aclTensorList *params, const aclTensor *hx, const aclTensor *dy,
    const aclTensor *dh, const aclTensorList *r, const aclTensorList *z, const aclTensorList *n,
    const aclTensorList *hn, const aclTensorList *h, const aclTensor *batchSizes, bool hasBias,
    int64_t numLayers, bool bidirection, bool batchFirst, aclTensor *dxOut, aclTensor *dhPrevOut,
    aclTensorList *dparamsOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGRUBackward(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
