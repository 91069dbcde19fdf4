/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table. */
#ifndef OP_API_INC_EMBEDDING_H_
#define OP_API_INC_EMBEDDING_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = weight[indices[i]], as torch.nn.functional.embedding.
 *
 * - weight: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16,
 *   UINT32, COMPLEX64 or COMPLEX128, usually of two dimensions; its first one is indexed.
 * - indices: INT32 or INT64, of any shape, each from 0 to weight's first size - 1.
 * - out: of weight's type; indices' shape, then weight's other dimensions.
 *
 * An index outside of that range is not followed: out is 0 there, and the next synchronise of the
 * stream fails with a text that names the operator, the first such element and its value. */
ACLNN_API aclnnStatus aclnnEmbeddingGetWorkspaceSize(const aclTensor *weight,
                                                     const aclTensor *indices, const aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEmbedding(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
