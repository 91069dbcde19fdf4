/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution and transposed convolution in one to three axes; convolution of (T, B, C) tensors
 * along time; convolution of each channel on its own. */
#ifndef OP_API_INC_CONVOLUTION_H_
#define OP_API_INC_CONVOLUTION_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * Per axis, with stride s, padding p before and q behind, dilation d and a kernel of k taps (t runs
 * over the taps, c over the channels of the group):
 *     output[n, co, o] = bias[co] + sum of weight[co, c, t] * input[n, c, o * s - p + t * d]
 * with 0 in place of what lies outside of input. With transposed it is the adjoint:
 *     output[n, co, x] = bias[co] + sum over ci, t, i with x = i * s - p + t * d of
 *                                                       input[n, ci, i] * weight[ci, co, t]
 *
 * - input: (N, Cin, spatial...), 3 to 5 dimensions.
 * - weight: (Cout, Cin / groups, kernel...); with transposed (Cin, Cout / groups, kernel...).
 * - bias: NULL, or Cout values.
 * - stride, dilation: one value per axis, at least 1.
 * - padding: at least 0; one value per axis; with two axes also {top, bottom, left, right}, with
 *   one axis and without transposed also {left, right}.
 * - outputPadding: with transposed one value per axis, at least 0, each less than its stride or its
 *   dilation; else not looked at and may be NULL.
 * - groups: greater than 0.
 * - output: the result, with I the extent of input along an axis:
 *   floor((I + p + q - d * (k - 1) - 1) / s) + 1, or with transposed
 *   (I - 1) * s - p - q + d * (k - 1) + outputPadding + 1.
 * - cubeMathType: 0 and 4 compute with the values as they are; 2 first rounds every factor to
 *   FLOAT16 (infinity beyond its range); 1 and 3 round factors to 11 bits of mantissa when input or
 *   weight is FLOAT or their types differ. ACLNN_CPU_MATH=exact makes all of them 0.
 * - workspaceSize: receives the bytes that phase 2 needs: one FLOAT copy of the weight,
 *   or nothing where a group has few output channels.
 * - executor: receives what phase 2 consumes.
 *
 * Data types are FLOAT, FLOAT16 and BF16, each tensor its own. Products and sums are in FLOAT, the
 * bias is added in FLOAT, and the result is rounded once. It has the same bits for any number of
 * threads; on machines with fused multiply-add the same bits everywhere. Formats: NCL for 3
 * dimensions, NCHW for 4, NCDHW or NDHWC for 5, all three tensors alike; bias ND, NCL, NCHW or
 * NCDHW. Any strides are accepted, of output those that give each element its own place; no tensor
 * is copied, whatever its strides. output must not overlap anything else. When input or weight is
 * empty, output must be, and nothing is written.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, input, weight, stride, padding,
 *   dilation, output, or with transposed outputPadding is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: data types; ranks and the length
 *   of bias; lengths of the arrays; formats; sizes; values of stride, dilation, padding, groups,
 *   outputPadding; channels; output's shape; cubeMathType is not 0 to 4; a view reaches outside its
 *   storage, or elements of output share memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * Where CANN 8.1 limits kernels, strides and pads of some axes more than aclnn_util.h says, this
 * does not; a negative padding is refused. */
ACLNN_API aclnnStatus aclnnConvolutionGetWorkspaceSize(
    const aclTensor *input, const aclTensor *weight, const aclTensor *bias,
    const aclIntArray *stride, const aclIntArray *padding, const aclIntArray *dilation,
    bool transposed, const aclIntArray *outputPadding, const int64_t groups, aclTensor *output,
    int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnConvolution(void *workspace, const uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

/* Phase 1 of a convolution along time, stride 1. Reads no tensor data, needs no stream, may be
 * called from any thread.
 *
 *     output[t, b, co] = bias[co] + sum over k, ci of weight[k, ci, co] * self[t + k - pad, b, ci]
 *
 * with 0 in place of what lies outside of self.
 *
 * - self: (T, B, Cin); weight: (K, Cin, Cout), K at least 1; bias: Cout values; pad: at least 0;
 *   output: the result, (T + 2 * pad - K + 1, B, Cout).
 * - cubeMathType, workspaceSize, executor: as aclnnConvolutionGetWorkspaceSize.
 *
 * Data types are FLOAT, FLOAT16 and BF16; self, weight and output have one, bias may have another.
 * Formats: ND or NCL; of bias any public one. Strides, precision and bits as aclnnConvolution. An
 * empty output is left alone; when self or weight is empty and output is not, output becomes bias.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self, weight, bias or output is
 *   NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: data types; ranks; formats; sizes;
 *   bias's length; K; pad; no window fits; channels; output's shape; cubeMathType is not 0 to 4; a
 *   view reaches behind its memory, or elements of output share memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * CANN counts one of the two pads when it asks whether a window fits, and so refuses some shapes
 * that are taken here. */
ACLNN_API aclnnStatus aclnnConvTbcGetWorkspaceSize(const aclTensor *self, const aclTensor *weight,
                                                   const aclTensor *bias, const int64_t pad,
                                                   aclTensor *output, int8_t cubeMathType,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: as aclnnConvolution. */
ACLNN_API aclnnStatus aclnnConvTbc(void *workspace, const uint64_t workspaceSize,
                                   aclOpExecutor *executor, aclrtStream stream);

/* Phase 1 of a convolution in two axes that joins no channels: each makes m of the result. Reads no
 * tensor data, needs no stream, may be called from any thread. It is aclnnConvolution with as many
 * groups as self has channels.
 *
 * - self: (N, C, H, W); weight: (C * m, 1, kH, kW); bias: NULL, or C * m values; out: the result,
 *   (N, C * m, oH, oW), extents as of aclnnConvolution.
 * - kernelSize: {kH, kW}. stride, dilation: two values, at least 1. padding: two values, at least
 *   0, each for both ends.
 * - cubeMathType, workspaceSize, executor: as aclnnConvolutionGetWorkspaceSize.
 *
 * All tensors have one data type, FLOAT, FLOAT16 or BF16. Formats: NCHW; bias ND, NCL, NCHW or
 * NCDHW. Strides, precision, bits and empty tensors as aclnnConvolution; dimension 1 of weight may
 * be 0 when self is empty.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self, weight, stride, padding,
 *   dilation, out or kernelSize is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: data types; ranks; lengths of the
 *   arrays; formats; sizes; values of stride, dilation, padding; no window fits; channels and
 *   bias's length; out's shape; cubeMathType is not 0 to 4; kernelSize; a view reaches outside its
 *   storage, or elements of out share memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * None of CANN 8.1's limits on kernels, strides and pads is imposed. */
ACLNN_API aclnnStatus aclnnConvDepthwise2dGetWorkspaceSize(
    const aclTensor *self, const aclTensor *weight, const aclIntArray *kernelSize,
    const aclTensor *bias, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, aclTensor *out, int8_t cubeMathType, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: as aclnnConvolution. */
ACLNN_API aclnnStatus aclnnConvDepthwise2d(void *workspace, const uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
