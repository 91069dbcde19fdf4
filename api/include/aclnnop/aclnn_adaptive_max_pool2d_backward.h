/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of aclnnAdaptiveMaxPool2d. CANN 8.1 has no such header; newer releases do. */
#ifndef OP_API_INC_ADAPTIVE_MAX_POOL2D_BACKWARD_H_
#define OP_API_INC_ADAPTIVE_MAX_POOL2D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * In every plane (n, c), with positions counted in row-major order, first all of gradInput is 0,
 * then for rising i
 *     gradInput[indices[i]] += gradOutput[i]
 * summed in FLOAT and rounded once. Indices may name any element, those of the forward pass or not.
 * One outside of gradInput's plane, which is 0 to H * W - 1, is not followed; the stream's next
 * synchronise then returns 507015, with position and value of the first such index in
 * aclGetRecentErrMsg, and all other gradients are right.
 *
 * - gradOutput: (N, C, oH, oW) or (C, oH, oW). FLOAT, FLOAT16 or BF16.
 * - self: (N, C, H, W) or (C, H, W), the input of the forward pass, of gradOutput's data type. Only
 *   its shape, type and format count: its data is not read, its address may be NULL.
 * - indices: of gradOutput's shape, INT32 or INT64.
 * - gradInput: the result, of self's shape and data type.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   contiguous.
 * - executor: receives what phase 2 consumes.
 *
 * All four have one format, NCHW, NCL, NCDHW or ND. Any strides are accepted, of gradInput those
 * that give each element its own place; gradInput must not overlap the others. When gradInput is
 * empty nothing is written; when only gradOutput is, gradInput becomes 0. The result has the same
 * bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, self, indices or
 *   gradInput is NULL, looked for in this order;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: gradOutput's or gradInput's data
 *   type is not self's, or that is not in the list; indices is not INT32 or INT64; gradOutput,
 *   indices or gradInput has not as many dimensions as self; indices has not gradOutput's shape, or
 *   gradInput not self's; self's format is not in the list, or another tensor's is not self's; self
 *   has not 3 or 4 dimensions; a size is negative; gradOutput has other leading dimensions than
 *   self; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * CANN leaves gradInput as it is when gradOutput is empty, does not compare leading dimensions, and
 * has limits of size on some devices; there are none here. */
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns. As aclnnAdaptiveMaxPool2d
 * (aclnn_adaptive_max_pool2d.h), which tells ownership, alignment and codes. */
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool2dBackward(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
