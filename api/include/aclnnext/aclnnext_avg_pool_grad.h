/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of average pooling in one to three axes, as ONNX Runtime (AveragePoolGrad) and
 * OpenVINO (AvgPoolBackprop) have it. Not part of CANN. */
#ifndef ACLNNEXT_AVG_POOL_GRAD_H_
#define ACLNNEXT_AVG_POOL_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnext/aclnnext_auto_pad.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs.
 * Reads no tensor data, needs no stream, may be called from any thread; the tensors' descriptors
 * may be destroyed as soon as it returns.
 *
 * Per axis, with kernel k, stride s, dilation d and padding pb before and pe behind, window o has
 * the taps o * s - pb + t * d, 0 <= t < k. In every plane (n, c)
 *
 *     gradInput[i] = sum over all windows o with a tap on i of gradOutput[o] / divisor(o)
 *
 * where divisor(o) is the product over the axes of how many taps lie in the input with its padding
 * (countIncludePad), or in the input alone. Each axis of gradOutput must have the size
 *
 *     floor(E / s) + 1, with E = size + pb + pe - (k - 1) * d - 1
 *
 * or with ceilMode ceil(E / s) + 1, less 1 when the last window would start at or beyond size + pb.
 *
 * - gradOutput, gradInput: (N, C, spatial...) of format NCL, NCHW, NCDHW or ND, or channels last of
 *   format NHWC or NDHWC; 3 to 5 dimensions, as many as the format counts; FLOAT, FLOAT16 or BF16,
 *   both alike. gradInput is the result; it must not overlap gradOutput. When gradOutput is empty,
 *   it becomes 0.
 * - inputShape: NULL, or the sizes of gradInput.
 * - kernelSize, strides, padsBegin, padsEnd, dilations: one entry for all axes, or one per axis.
 *   NULL or empty strides are kernelSize, such pads 0, such dilations 1. Pads are not negative.
 * - autoPad: an aclnnextAutoPad; when it is not 0, the pads are not looked at.
 * - countIncludePad: OpenVINO's exclude_pad turned around.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Sums are in FLOAT and rounded once; the result has the same bits for any number of threads, in
 * every layout and on every machine. Any strides are accepted, of gradInput those that give each
 * element its own place; dense memory with channels first or last costs nothing extra. Where no
 * window fits, gradInput becomes 0. Without dilation and with equal pads the result has the bits of
 * aclnnAvgPool2dBackward and aclnnAvgPool3dBackward.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, kernelSize or gradInput
 *   is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: data types; formats; ranks; a size
 *   is negative; inputShape is not gradInput's; lengths and values of kernelSize, strides and
 *   dilations; autoPad; lengths and values of padsBegin and padsEnd; gradOutput has not the size
 *   that pooling gives; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan. */
ACLNN_API aclnnStatus aclnnextAvgPoolGradGetWorkspaceSize(
    const aclTensor *gradOutput, const aclIntArray *inputShape, const aclIntArray *kernelSize,
    const aclIntArray *strides, const aclIntArray *padsBegin, const aclIntArray *padsEnd,
    const aclIntArray *dilations, int64_t autoPad, bool ceilMode, bool countIncludePad,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnextAvgPoolGrad(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
