/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of convolution in one to three axes, as ONNX Runtime (ConvGrad) has them. Not part
 * of CANN. */
#ifndef ACLNNEXT_CONV_GRAD_H_
#define ACLNNEXT_CONV_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnext/aclnnext_auto_pad.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread; the tensors' descriptors may be
 * destroyed as soon as it returns.
 *
 * What is computed is what aclnnConvolutionBackward computes without transposed
 * (aclnnop/aclnn_convolution_backward.h), with these differences:
 * - gradOutput, input, gradInput: (N, C, spatial...) of format NCL, NCHW, NCDHW or ND, or
 *   (N, spatial..., C) of format NHWC or NDHWC; each tensor's format is its own.
 * - weight, gradWeight: (Cout, Cin / groups, kernel...), or (Cout, kernel..., Cin / groups) of
 *   format NHWC or NDHWC.
 * - strides, padsBegin, padsEnd, dilations: one entry for all axes, or one per axis. NULL or empty
 *   strides and dilations are 1, such pads 0. Pads are not negative and may differ.
 * - autoPad: an aclnnextAutoPad; when it is not 0, the pads are not looked at.
 * - gradInput, gradWeight, gradBias: each may be NULL and is then not computed; one at least is
 *   there.
 * - batch and channels may be 0, and extents of the input if a window fits the padding: gradInput
 *   and gradWeight, where they have elements, become 0, and gradBias is the sum of gradOutput as
 *   always.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, input, weight or all
 *   three results are NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: data types; ranks; formats; sizes;
 *   shapes of the results; lengths and values of strides, dilations, autoPad, padsBegin, padsEnd,
 *   groups, cubeMathType; channels and groups; extents; a view reaches behind its memory, or
 *   elements of a result share memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan. */
ACLNN_API aclnnStatus aclnnextConvGradGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *input, const aclTensor *weight,
    const aclIntArray *strides, const aclIntArray *padsBegin, const aclIntArray *padsEnd,
    const aclIntArray *dilations, int64_t autoPad, int64_t groups, int8_t cubeMathType,
    aclTensor *gradInput, aclTensor *gradWeight, aclTensor *gradBias, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnextConvGrad(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
