/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of rows of a table. */
#ifndef OP_API_INC_EMBEDDING_DENSE_BACKWARD_H_
#define OP_API_INC_EMBEDDING_DENSE_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[w] = sum of grad[i] over all i with indices[i] = w, and 0 for w = paddingIdx, as
 * torch.ops.aten.embedding_dense_backward.
 *
 * - grad: FLOAT, FLOAT16, BF16 or DOUBLE; indices' shape and one dimension more.
 * - indices: INT32 or INT64, each from 0 to numWeights - 1.
 * - numWeights: rows of out, at least 1.
 * - paddingIdx: a row that stays 0; none if it is not below numWeights, as -1.
 * - scaleGradByFreq: divides each row by how many indices name it.
 * - out: of grad's type and shape (numWeights, grad's last size).
 *
 * Values that meet are added in the order of the indices: the result has the same bits for any
 * number of threads. Half types are summed in FLOAT and rounded once; integers wrap; of BOOL it is
 * or. An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnEmbeddingDenseBackwardGetWorkspaceSize(
    const aclTensor *grad, const aclTensor *indices, uint64_t numWeights, uint64_t paddingIdx,
    bool scaleGradByFreq, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEmbeddingDenseBackward(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
