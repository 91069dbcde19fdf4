/* SPDX-License-Identifier: Apache-2.0 */
/* Absolute values. */
#ifndef OP_API_INC_ABS_H_
#define OP_API_INC_ABS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * out[i] = |self[i]|, as torch.abs: -0 gives +0, a NaN stays one, the least integer of a signed
 * type stays itself, BOOL stays as it is.
 *
 * - self: 0 to 8 dimensions. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
 *   COMPLEX64 or COMPLEX128.
 * - out: of self's shape and data type, FLOAT of COMPLEX64 and DOUBLE of COMPLEX128. A real self
 *   may be out.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or out's size where out overlaps self
 *   without being the same view; the addresses of phase 1 tell.
 * - executor: receives what phase 2 consumes.
 *
 * Any public format and any strides are accepted, of out those that give each element its own
 * place. When a size is 0, nothing is written.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self or out is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self's or out's data type is not in
 *   the list, or out's is another one; a format is one of the device's own; a tensor has more than
 *   8 dimensions, or a negative size; out has another shape; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan. */
ACLNN_API aclnnStatus aclnnAbsGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                               uint64_t *workspaceSize, aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnAbs(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
