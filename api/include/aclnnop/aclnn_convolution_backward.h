/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of convolution in one to three axes, and of that along time. */
#ifndef OP_API_INC_CONVOLUTION_BACKWARD_H_
#define OP_API_INC_CONVOLUTION_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * Per axis, with stride s, padding p before and q behind, dilation d and a kernel of k taps, the
 * forward convolution was (t runs over the taps, c over the channels of co's group)
 *     output[n, co, o] = bias[co] + sum of weight[co, c, t] * input[n, c, o * s - p + t * d]
 * with 0 in place of what lies outside of input. Its gradients are
 *   - gradInput[n, c, x] = sum over co, t, o with x = o * s - p + t * d of
 *     gradOutput[n, co, o] * weight[co, c, t]
 *   - gradWeight[co, c, t] = sum over n, o of gradOutput[n, co, o] * input[n, c, o * s - p + t * d]
 *   - gradBias[co] = sum over n, o of gradOutput[n, co, o]
 * With transposed the forward convolution was the first of these, from input to gradOutput's side:
 * then gradInput is an ordinary convolution of gradOutput with weight, and
 *   - gradWeight[ci, c, t] = sum over n, i of input[n, ci, i] * gradOutput[n, c, i * s - p + t * d]
 *
 * - gradOutput: (N, Cout, spatial...), 3 to 5 dimensions.
 * - input: (N, Cin, spatial...). Per axis, with X the extent of the side before an ordinary
 *   convolution (input; with transposed gradOutput) and G that behind it, G must be
 *   floor((X + p + q - d * (k - 1) - 1) / s) + 1.
 * - weight: (Cout, Cin / groups, kernel...); with transposed (Cin, Cout / groups, kernel...).
 * - biasSizes: {Cout}; only looked at when input or weight is empty and outputMask[2] is true.
 * - stride, dilation: one value per axis, at least 1.
 * - padding: one value per axis, at least 0; with two axes also {top, bottom, left, right}.
 * - outputPadding: one value per axis (with two axes four are fine too): without transposed all 0;
 *   with it at least 0, and with three axes less than stride. It has no effect of its own: the
 *   shapes tell.
 * - groups: at least 1.
 * - outputMask: three values: compute gradInput, gradWeight, gradBias. What is not computed may be
 *   NULL; where it is given it is checked and not written.
 * - cubeMathType: 0 computes with the values as they are; 2 first rounds every factor to FLOAT16
 *   (infinity beyond its range); 1 and 3 round factors to 11 bits of mantissa when the product is
 *   FLOAT. ACLNN_CPU_MATH=exact makes all of them 0. gradBias is not affected.
 * - gradInput, gradWeight: results, of input's and weight's shape.
 * - gradBias: result, Cout values.
 * - workspaceSize: receives the bytes that phase 2 needs: one FLOAT copy of the weight for
 *   gradInput (none where a group has few channels of it); partial sums for gradWeight, FLOAT, not
 * more than the larger of 4 MiB and one copy.
 * - executor: receives what phase 2 consumes.
 *
 * Data types are FLOAT, FLOAT16 and BF16, each tensor its own. Products and sums are in FLOAT, each
 * result is rounded once. Results have the same bits for any number of threads; on machines with
 * fused multiply-add the same bits everywhere. Formats: NCL or ND for 3 dimensions, NCHW for 4,
 * NCDHW for 5; gradBias ND (with transposed any). Any strides are accepted, of results those that
 * give each element its own place; no tensor is copied, whatever its strides. Results must not
 * overlap anything else.
 * When input or weight is empty, gradWeight and gradBias become 0.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, input, weight, stride,
 *   padding, dilation, outputPadding or outputMask is NULL; outputMask has not 3 entries; a result
 *   that it asks for is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: data types; ranks and formats;
 *   values of stride, padding, dilation, outputPadding, groups; cubeMathType; ranks, shapes and
 *   lengths that do not fit each other; channels and groups; extents; a view reaches outside its
 *   storage, or elements of a result share memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * Where CANN 8.1 leaves something to the device this is plainer: extents are checked at every
 * rank. */
ACLNN_API aclnnStatus aclnnConvolutionBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *input, const aclTensor *weight,
    const aclIntArray *biasSizes, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, bool transposed, const aclIntArray *outputPadding, int groups,
    const aclBoolArray *outputMask, int8_t cubeMathType, aclTensor *gradInput,
    aclTensor *gradWeight, aclTensor *gradBias, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnConvolutionBackward(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, const aclrtStream stream);

/* Phase 1 of the gradients of aclnnConvTbc, all three. Reads no tensor data, needs no stream, may
 * be called from any thread.
 *
 *   - gradInput[t, b, ci] = sum over k, co of self[t - k + pad, b, co] * weight[k, ci, co]
 *   - gradWeight[k, ci, co] = sum over t, b of self[t, b, co] * input[t + k - pad, b, ci]
 *   - gradBias[co] = sum over t, b of self[t, b, co]
 * with 0 in place of what lies outside of self and input.
 *
 * - self: the gradient of the output, (T + 2 * pad - K + 1, B, Cout), not empty.
 * - input: (T, B, Cin); weight: (K, Cin, Cout); bias: (Cout), of which only the shape counts.
 * - pad: at least 0.
 * - cubeMathType, workspaceSize, executor: as aclnnConvolutionBackwardGetWorkspaceSize.
 * - gradInput, gradWeight, gradBias: results, of the shapes of input, weight and bias.
 *
 * Data types are FLOAT, FLOAT16 and BF16, each tensor its own. Formats: ND or NCL; bias and
 * gradBias ND. Strides, precision and bits as aclnnConvolutionBackward. When input or weight is
 * empty, gradInput and gradWeight become 0, and gradBias is the sum of self as always (a device
 * answers as if all of self were 1).
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor or a tensor is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: data types; formats; self is empty;
 *   ranks; sizes; channels; bias's length; pad; no window fits; shapes of self and the results;
 *   cubeMathType is not 0 to 3; a view reaches behind its memory, or elements of a result share
 *   memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan. */
ACLNN_API aclnnStatus aclnnConvTbcBackwardGetWorkspaceSize(
    const aclTensor *self, const aclTensor *input, const aclTensor *weight, const aclTensor *bias,
    int64_t pad, int8_t cubeMathType, aclTensor *gradInput, aclTensor *gradWeight,
    aclTensor *gradBias, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: as aclnnConvolutionBackward. */
ACLNN_API aclnnStatus aclnnConvTbcBackward(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
