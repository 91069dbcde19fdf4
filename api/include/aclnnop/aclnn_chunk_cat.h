/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors cut into chunks, and the chunks put side by side. */
#ifndef OP_API_INC_CAT_CHUNK_H_
#define OP_API_INC_CAT_CHUNK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Row i of out has the i-th chunk of each tensor, one after the other, as torch._chunk_cat: a
 * tensor is cut along its first dimension into numChunks chunks of as many rows, the last of which
 * may lack some, or all: they are 0. A chunk's elements lie in row-major order.
 *
 * - tensors: FLOAT, FLOAT16 or BF16, all of one type, 1 to 8 dimensions each; at least one.
 * - dim: 0.
 * - numChunks: at least 1.
 * - out: (numChunks, elements of one chunk of each); of the tensors' type, or FLOAT where that is a
 *   half type. It may share memory with them. */
ACLNN_API aclnnStatus aclnnChunkCatGetWorkspaceSize(const aclTensorList *tensors, int64_t dim,
                                                    int64_t numChunks, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnChunkCat(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
