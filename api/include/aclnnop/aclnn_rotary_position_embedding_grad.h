/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of rotary embeddings. */
#ifndef OP_API_INC_ROTARY_POSITION_EMBEDDING_GRAD_H_
#define OP_API_INC_ROTARY_POSITION_EMBEDDING_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradients of aclnnRotaryPositionEmbedding: of x, and of cos and sin, which are sums over the
 * axes along which those are broadcast.
 *
 * - dy: the gradient of the result: 1 to 8 dimensions, the last of at most 4096 elements; FLOAT,
 *   FLOAT16, BF16 or DOUBLE.
 * - cos, sin, mode: as in the forward pass.
 * - xOptional: x of the forward pass; NULL: dcosOut and dsinOut are not touched.
 * - dxOut: of dy's shape; may be dy.
 * - dcosOut, dsinOut: of cos' shape; NULL: not wanted. */
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingGradGetWorkspaceSize(
    const aclTensor *dy, const aclTensor *cos, const aclTensor *sin, const aclTensor *xOptional,
    int64_t mode, const aclTensor *dxOut, const aclTensor *dcosOut, const aclTensor *dsinOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingGrad(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
