/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of maximum pooling from indices into the whole tensor, as ONNX Runtime (MaxPoolGrad)
 * has it. Not part of CANN. */
#ifndef ACLNNEXT_MAX_POOL_GRAD_H_
#define ACLNNEXT_MAX_POOL_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * In FLOAT and for windows in row-major order of gradOutput, from 0:
 *     gradInput[indices[o]] += gradOutput[o]
 * rounded once. An index counts through the whole of gradInput, batch and channels included:
 * row-major in gradInput's own order of dimensions with storageOrder 0; with storageOrder 1 the
 * spatial axes among themselves are column-major. It may name any element. One outside of gradInput
 * is not followed: the stream's next synchronise returns 507015, with position and value of the
 * first such index in aclGetRecentErrMsg, and all other gradients are right.
 *
 * - gradOutput: (N, C, spatial...) of format NCL, NCHW, NCDHW or ND, or (N, spatial..., C) of
 * format NHWC or NDHWC; 3 to 5 dimensions; FLOAT, FLOAT16 or BF16.
 * - indices: INT32 or INT64, of gradOutput's shape and format.
 * - storageOrder: 0 or 1.
 * - gradInput: the result; gradOutput's data type, format, N and C. It must not overlap the inputs.
 * - workspaceSize: receives the bytes that phase 2 needs: 0 for tensors that are all dense with
 *   channels first or all with channels last.
 * - executor: receives what phase 2 consumes.
 *
 * Any strides are accepted, of gradInput those that give each element its own place. When gradInput
 * is empty nothing is written; when gradOutput alone is, gradInput becomes 0. The result has the
 * same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, indices or gradInput is
 *   NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: gradOutput's data type is not in
 * the list, indices' is not in its list, gradInput's is not gradOutput's; a format is not in the
 * list, or they differ; ranks are not 3 to 5, differ, or are not the format's, or a size is
 * negative; storageOrder is not 0 or 1; indices has not gradOutput's shape; N or C differ; a view
 * reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan. */
ACLNN_API aclnnStatus aclnnextMaxPoolGradGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *indices, int64_t storageOrder,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; NULL means the default stream of the calling
 * thread's current context. The executor is used up, on failure too, unless it was made repeatable.
 * workspace is device memory of workspaceSize bytes, aligned to 32, at least as many as phase 1
 * told; it may be freed at once (the memory is released when the work has run), as may the tensors'
 * descriptors. The addresses used are those that the tensors have now.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream.
 * What goes wrong later, an index outside of its plane among it (507015), is returned by the
 * stream's next synchronise. */
ACLNN_API aclnnStatus aclnnextMaxPoolGrad(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
