/* SPDX-License-Identifier: Apache-2.0 */
/* 2-D maximum pooling as ONNX has it. */
#ifndef OP_API_INC_LEVEL2_ACLNN_MAX_POOL_H_
#define OP_API_INC_LEVEL2_ACLNN_MAX_POOL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * Per axis, with kernel k, stride s, and padding p before and q behind, window o covers [o * s - p,
 * o * s - p + k) of the input; out is the largest element there, or NaN if one is NaN. A window
 * with nothing but padding gives the type's lowest value. Each spatial size of out must be, with E
 * = size + p + q - k, floor(E / s) + 1, or when ceilMode is not 0 ceil(E / s) + 1, less 1 when the
 * last window would begin at or beyond size + p.
 *
 * - self: (N, C, H, W) or (C, H, W). FLOAT, FLOAT16, BF16, INT32, INT64, UINT8, INT16, INT8 or
 * UINT16.
 * - kernelShape: one value for both axes, or (kH, kW); each > 0.
 * - strides: one value or two, each > 0; an empty array means 1.
 * - autoPad: 0.
 * - pads: none, which is 0; one value for all sides; {top and bottom, left and right}; {top, left,
 *   bottom, right}. Each >= 0; top + bottom <= kH, left + right <= kW.
 * - dilations: none, one, two or four values, each 1.
 * - out: the result, of self's data type and format.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   dense in the order that is chosen.
 * - executor: receives what phase 2 consumes.
 *
 * Formats with the channels innermost are refused. Any strides are accepted, of out those that give
 * each element its own place; dense memory with channels first or last costs nothing extra. out
 * must not overlap self. When N is 0, nothing is written. The result has the same bits for any
 * number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self, kernelShape, strides, pads,
 *   dilations or out is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self's data type is not in the
 * list, or out's is not self's; out's format is not self's, or it is one of the device's own, NHWC
 * or NDHWC; ranks are not 3 or 4, or a size is negative; kernelShape, strides, pads or dilations
 * has the wrong length; autoPad is not 0; dilations, kernelShape, strides, pads have a value out of
 *   range; a size of self but N is 0; no window fits; out has another shape; a view reaches behind
 *   its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * Devices of the A2 and A3 series take FLOAT and FLOAT16 only and do not look for negative pads. */
ACLNN_API aclnnStatus aclnnMaxPoolGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *kernelShape, const aclIntArray *strides,
    const int64_t autoPad, const aclIntArray *pads, const aclIntArray *dilations,
    const int64_t ceilMode, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnMaxPool(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
