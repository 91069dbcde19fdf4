/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of maximum pooling that finds the maxima again, as oneDNN Graph (MaxPoolBackward)
 * and composable_kernel have it. Not part of CANN. */
#ifndef ACLNNEXT_MAX_POOL_BACKWARD_H_
#define ACLNNEXT_MAX_POOL_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnnext/aclnnext_auto_pad.h"
#include "aclnnop/aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * Per axis, with kernel k, stride s, dilation d and padding pb before and pe behind, window o has
 * the taps o * s - pb + t * d, 0 <= t < k; those outside of self are padding and never chosen. The
 * maximum of a window is its first largest tap in row-major order; a NaN is larger than any number,
 * and the last NaN of a window counts. In every plane, in FLOAT and for windows in row-major order,
 * from 0: gradInput[place of window o's maximum] += gradOutput[o] rounded once: bit for bit what
 * pooling with indices and its backward give.
 *
 * - gradOutput: of the shape that pooling gives. Each spatial size is floor(E / s) + 1 where
 *   E = size + pb + pe - (k - 1) d - 1; with ceilMode ceil(E / s) + 1, less 1 when the last window
 *   would begin at or beyond size + pb.
 * - self: the input of the pooling: (N, C, spatial...) of format NCL, NCHW, NCDHW or ND, or (N,
 *   spatial..., C) of format NHWC or NDHWC; 3 to 5 dimensions; FLOAT, FLOAT16 or BF16.
 * - kernelSize, strides, padsBegin, padsEnd, dilations: one entry for all axes, or one per axis.
 *   NULL or empty strides are kernelSize, such pads 0, such dilations 1.
 * - autoPad: an aclnnextAutoPad; when it is not 0, the pads are not looked at.
 * - gradInput: the result, of self's shape. All three have one data type and one format.
 * - workspaceSize: receives the bytes that phase 2 needs: 0 for tensors that are all dense with
 *   channels first or all with channels last.
 * - executor: receives what phase 2 consumes.
 *
 * Any strides are accepted, of gradInput those that give each element its own place. gradInput must
 * not overlap the inputs. When gradInput is empty nothing is written; where no window fits, it
 * becomes 0. The result has the
 * same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, self, kernelSize or
 *   gradInput is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: gradOutput's data type is not in
 * the list, or self's or gradInput's is not gradOutput's; a format is not in the list, or they
 * differ; ranks are not 3 to 5, differ, or are not the format's, or a size is negative; gradInput
 * has not self's shape; kernelSize, strides, dilations, autoPad, padsBegin, padsEnd, each its
 * length and its values; gradOutput has not the shape that pooling gives; a window has all its taps
 * in the padding; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan. */
ACLNN_API aclnnStatus aclnnextMaxPoolBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclIntArray *kernelSize,
    const aclIntArray *strides, const aclIntArray *padsBegin, const aclIntArray *padsEnd,
    const aclIntArray *dilations, int64_t autoPad, bool ceilMode, aclTensor *gradInput,
    uint64_t *workspaceSize, aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnextMaxPoolBackward(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
