/* SPDX-License-Identifier: Apache-2.0 */
/* 3-D maximum pooling that tells where the maxima were. */
#ifndef OP_API_INC_LEVEL2_ACLNN_MAX_POOL3D_WITH_ARGMAX_H_
#define OP_API_INC_LEVEL2_ACLNN_MAX_POOL3D_WITH_ARGMAX_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * Per axis, with kernel k, stride s, padding p and dilation d, window o has the taps o * s - p + t
 * * d, 0 <= t < k; those outside of the input are padding and never chosen. The maximum of a window
 * is its first largest tap in row-major order; a NaN is larger than any number, and the last NaN of
 * a window counts. An index is the place of the maximum in its own plane, (d * H + h) * W + w, in
 * the input without padding. Each spatial size of out must be, with E = size + 2 * p - (k - 1) * d
 * - 1, floor(E / s) + 1, or with ceilMode ceil(E / s) + 1, less 1 when the last window would begin
 * at or beyond size + p.
 *
 * - self: (N, C, D, H, W) or (C, D, H, W), with format NDHWC (N, D, H, W, C) or (D, H, W, C).
 * FLOAT, FLOAT16 or BF16.
 * - kernelSize: one value for all axes, or (kD, kH, kW); each > 0.
 * - stride: one value or three, each > 0; an empty array means kernelSize.
 * - padding: one value or three; each >= 0 and at most half of the kernel.
 * - dilation: one value or three, each > 0.
 * - out: the maxima, of self's data type and format.
 * - indices: their places, INT32 or INT64, of out's shape and format.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   dense in the order that is chosen.
 * - executor: receives what phase 2 consumes.
 *
 * Any strides are accepted, of out and indices those that give each element its own place; dense
 * memory with channels first or last costs nothing extra. out and indices must not overlap self or
 * each other. When self or out is empty, nothing is written, and shapes are not compared. The
 * result has the same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self, kernelSize, stride, padding,
 *   dilation, out or indices is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self's data type is not in the
 * list, indices' is not in its list, out's is not self's; out's or indices' format is not self's,
 * or it is one of the device's own or NHWC; self has not 4 or 5 dimensions or a negative size;
 *   kernelSize, stride, padding, dilation, each its length and its values; out or indices has
 * another shape; a window has all its taps in the padding (which takes a dilation > 1), or INT32
 * cannot count the plane; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * Devices of the A2 and A3 series take INT32 and a dilation of 1 only and do not heed NDHWC. They
 * take one-element tensors of different rank for one another; here shapes must be equal. */
ACLNN_API aclnnStatus aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *kernelSize, const aclIntArray *stride,
    const aclIntArray *padding, const aclIntArray *dilation, bool ceilMode, aclTensor *out,
    aclTensor *indices, uint64_t *workspaceSize, aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnMaxPool3dWithArgmax(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
