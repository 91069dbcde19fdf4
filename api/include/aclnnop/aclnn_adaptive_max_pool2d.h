/* SPDX-License-Identifier: Apache-2.0 */
/* 2-D maximum pooling to a given size. */
#ifndef OP_API_INC_ADAPTIVE_MAX_POOL2D_H_
#define OP_API_INC_ADAPTIVE_MAX_POOL2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * An axis of I elements is cut into O bins, which may overlap: bin i covers
 *     floor(i * I / O)  up to, but not with,  ceil((i + 1) * I / O)
 * In every plane (n, c), outputOut[oh, ow] is the greatest element of the rows of bin oh and the
 * columns of bin ow, and indicesOut[oh, ow] tells where it stands, h * W + w. Of equal elements the
 * first in row-major order counts (all -inf: the first of the bin). NaN is greater than any number,
 * and of several the last counts. Values keep their bits.
 *
 * - self: (N, C, H, W) or (C, H, W). FLOAT, DOUBLE, FLOAT16 or BF16.
 * - outputSize: (oH, oW), each > 0.
 * - outputOut: the maxima, (N, C, oH, oW) or (C, oH, oW), of self's data type.
 * - indicesOut: of outputOut's shape, INT64.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   contiguous.
 * - executor: receives what phase 2 consumes.
 *
 * Formats are NCHW, NCL and ND, of indicesOut any. Any strides are accepted, of the results those
 * that give each element its own place; tensors must not overlap. When self is empty, which only N
 * (or C of three dimensions) may make it, nothing is written and the results' shape is not looked
 * at. The results have the same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self, outputSize, outputOut or
 *   indicesOut is NULL, looked for in this order;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self's or outputOut's data type is
 *   not in the list, or they differ; indicesOut is not INT64; self has not 3 or 4 dimensions;
 *   indicesOut has not outputOut's shape; a size of self behind the first is 0, or one is negative;
 *   outputSize has not two entries, or one is not greater than 0; a format is not in the list;
 *   outputOut has another shape than outputSize says; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * CANN finds a wrong shape of the results late (561103) or not at all, and takes NHWC but returns
 * its maxima in another order; both are refused here. */
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool2dGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *outputSize, aclTensor *outputOut,
    aclTensor *indicesOut, uint64_t *workspaceSize, aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool2d(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
