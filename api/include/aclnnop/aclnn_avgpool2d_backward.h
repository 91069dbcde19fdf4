/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of 2-D average pooling. */
#ifndef OP_API_INC_AVGPOOL2D_BACKWARD_H_
#define OP_API_INC_AVGPOOL2D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * Per axis, with kernel k, stride s and padding p, window o covers [start, end) of the input:
 *     start = o * s - p,  end = min(start + k, size + p)
 * and in every plane (n, c) the gradient of the input is
 *     gradInput[i] = sum over all windows o that contain i of gradOutput[o] / divisor(o)
 * where divisor(o) is
 *     divisorOverride                                     when that is not 0, whatever its sign;
 *     the product over both axes of end - start           else, when countIncludePad is true;
 *     the same of min(end, size) - max(start, 0)          when it is false.
 * Each axis of gradOutput must have the size that pooling gives, with E = size + 2 * p - k:
 *     floor(E / s) + 1, or with ceilMode ceil(E / s) + 1, less 1 when the last window would start
 *     at or beyond size + p.
 *
 * - gradOutput: (N, C, oH, oW) or (C, oH, oW).
 * - self: (N, C, H, W) or (C, H, W), the input of the forward pooling. Only its shape counts: its
 *   data is not read, its data type may differ, its address may be NULL.
 * - kernelSize: one value for both axes, or (kH, kW); each > 0.
 * - stride: one value, or (sH, sW), each > 0; an empty array or NULL means kernelSize.
 * - padding: one value, or (pH, pW); each >= 0 and at most half of the kernel.
 * - cubeMathType: precision. 0 computes with the values as they are; 2 first rounds FLOAT and BF16
 *   values of gradOutput to FLOAT16 (infinity beyond its range); 1 and 3 round FLOAT values to 11
 *   bits of mantissa. ACLNN_CPU_MATH=exact makes all of them 0.
 * - gradInput: the result, of self's shape and gradOutput's data type.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Data types are FLOAT, FLOAT16 and BF16; sums are in FLOAT and rounded once. The result has the
 * same bits for any number of threads and on every machine. Formats are NCHW and NCL; tensors of 4
 * dimensions are NCHW. Any strides are accepted, of gradInput those that give each element its own
 * place; strides as of NHWC memory cost nothing extra. gradInput must not overlap gradOutput. When
 * any of the three tensors is empty, nothing is written, and the workspace is 0.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): gradOutput, self, kernelSize, padding, gradInput,
 *   workspaceSize or executor is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: a data type is not in the list, or
 *   gradInput's is not gradOutput's; a format is not in the list; ranks are not both 3 or both 4;
 *   a size is negative; kernelSize, stride or padding has the wrong length or a value out of range;
 *   cubeMathType is not 0 to 3; self and gradInput differ in shape; gradOutput has not the size
 *   that pooling gives; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * Where CANN 8.1 leaves something undefined this is stricter or plainer: a NULL stride means the
 * kernel, gradOutput's size is checked, and padding counts in every shape, a window as large as the
 * input included. */
ACLNN_API aclnnStatus aclnnAvgPool2dBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclIntArray *kernelSize,
    const aclIntArray *stride, const aclIntArray *padding, bool ceilMode, bool countIncludePad,
    int64_t divisorOverride, int8_t cubeMathType, aclTensor *gradInput, uint64_t *workspaceSize,
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
ACLNN_API aclnnStatus aclnnAvgPool2dBackward(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
