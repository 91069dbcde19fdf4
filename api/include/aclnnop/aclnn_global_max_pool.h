/* SPDX-License-Identifier: Apache-2.0 */
/* The maximum of each plane. */
#ifndef OP_API_INC_GLOBAL_MAX_POOL_H_
#define OP_API_INC_GLOBAL_MAX_POOL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * out is the largest element of each plane (n, c), or NaN if one is NaN.
 *
 * - self: (N, C, spatial...), 4 to 8 dimensions. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: (N, C, 1, ..., 1), of self's data type and format.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   dense in the order that is chosen.
 * - executor: receives what phase 2 consumes.
 *
 * Formats are ND, NCHW and NCDHW. Any strides are accepted, of out those that give each element its
 * own place; dense memory with channels first or last costs nothing extra. out must not overlap
 * self. When N or C is 0, nothing is written. The result has the same bits for any number of
 * threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self or out is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self's data type is not in the
 * list, or out's is not self's; self's format is not in the list, or out's is not self's; self has
 * not 4 to 8 dimensions, out not as many, or a size is negative; out has another shape; a spatial
 * size of self is 0; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan. */
ACLNN_API aclnnStatus aclnnGlobalMaxPoolGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; NULL means the default stream of the calling
 * thread's current context. The executor is used up, on failure too, unless it was made repeatable.
 * workspace is device memory of workspaceSize bytes, aligned to 32, at least as many as phase 1
 * told; it may be freed at once (the memory is released when the work has run), as may the tensors'
 * descriptors. The addresses used are those that the tensors have now.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream.
 * What goes wrong later is returned by the stream's next synchronise. */
ACLNN_API aclnnStatus aclnnGlobalMaxPool(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
