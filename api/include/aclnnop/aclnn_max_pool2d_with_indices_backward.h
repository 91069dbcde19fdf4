/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of 2-D maximum pooling, from the places of the maxima. */
#ifndef OP_API_INC_LEVEL2_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H_
#define OP_API_INC_LEVEL2_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * In every plane, in FLOAT and for windows in row-major order, from 0:
 *     gradInput[indices[o]] += gradOutput[o]
 * rounded once. An index may name any element of its plane, also outside of its window. One outside
 * of the plane is not followed: the stream's next synchronise returns 507015, with position and
 * value of the first such index in aclGetRecentErrMsg, and all other gradients are right.
 *
 * - gradOutput: of the shape that aclnnMaxPool2dWithIndices gives for self and the window.
 * - self: the input of the pooling. Only its shape, data type and format count: its data is not
 * read and its address may be NULL.
 * - indices: INT32 or INT64, of gradOutput's shape.
 * - kernelSize, stride, padding, dilation, ceilMode: as of aclnnMaxPool2dWithIndices.
 * - gradInput: the result, of self's shape. gradOutput, self and gradInput have one data type,
 * FLOAT, FLOAT16 or BF16, and one format; with NHWC they are (N, H, W, C) or (H, W, C).
 * - workspaceSize: receives the bytes that phase 2 needs: 0 for tensors that are all dense with
 *   channels first or all with channels last.
 * - executor: receives what phase 2 consumes.
 *
 * Any strides are accepted, of gradInput those that give each element its own place. gradInput must
 * not overlap the inputs. When N is 0, nothing is written. The result has the
 * same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, self, indices,
 * kernelSize, stride, padding, dilation or gradInput is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self's data type is not in the
 * list, gradOutput's or gradInput's is not self's, indices' is not in its list; formats differ, or
 * are of the device's own or NDHWC; ranks are not 3 or 4, or a size is negative; kernelSize,
 * stride, padding or dilation has the wrong length, then a value out of range; gradInput has not
 * self's shape; a size of self but N is 0; no window fits; gradOutput or indices has another shape;
 * a window has all its taps in the padding, or INT32 cannot count the plane; a view reaches behind
 *   its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * Devices of the A2 and A3 series take FLOAT, INT32 and a dilation of 1 only, do not heed NHWC, do
 * not report a wrong shape of indices, and follow any index. */
ACLNN_API aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    const aclIntArray *kernelSize, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, bool ceilMode, aclTensor *gradInput, uint64_t *workspaceSize,
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
 * What goes wrong later, an index outside of its plane among it (507015), is returned by the
 * stream's next synchronise. */
ACLNN_API aclnnStatus aclnnMaxPool2dWithIndicesBackward(void *workspace, uint64_t workspaceSize,
                                                        aclOpExecutor *executor,
                                                        aclrtStream stream);

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * As aclnnMaxPool2dWithIndicesBackward, but indices is the buffer of bytes that
 * aclnnMaxPool2dWithMask filled: an int32_t per window from its first byte on. With a kernel of 1x1
 * it is not read, for a window has but one tap then. The report of an index outside of its plane
 * counts the int32_t.
 *
 * - dilation: one value or two, each 1. Formats with the channels innermost are refused.
 * - indices: INT8, of the shape that aclnnMaxPool2dWithMask has; contiguous, from offset 0 on.
 * The other parameters, empty tensors, results and errors are as there, but that kernelSize, self
 * and gradOutput are looked for (161001) before the length of kernelSize, which is 161001 too, and
 * the rest. */
ACLNN_API aclnnStatus aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    const aclIntArray *kernelSize, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, bool ceilMode, aclTensor *gradInput, uint64_t *workspaceSize,
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
 * What goes wrong later, an index outside of its plane among it (507015), is returned by the
 * stream's next synchronise. */
ACLNN_API aclnnStatus aclnnMaxPool2dWithMaskBackward(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
