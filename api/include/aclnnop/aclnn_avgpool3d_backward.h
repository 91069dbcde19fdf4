/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of 3-D average pooling. */
#ifndef OP_API_INC_AVGPOOL3D_BACKWARD_H_
#define OP_API_INC_AVGPOOL3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs.
 * Reads no tensor data, needs no stream, may be called from any thread; the tensors' descriptors
 * may be destroyed as soon as it returns.
 *
 * In every plane (n, c), with the windows and divisors of aclnn_avgpool2d.h over three axes,
 *     output[i] = sum over all windows o that contain i of gradOutput[o] / divisor(o)
 *
 * - gradOuput (CANN's spelling; texts say gradOutput): (N, C, oD, oH, oW) or (C, oD, oH, oW), of
 * the size that pooling gives.
 * - self: (N, C, D, H, W) or (C, D, H, W), the input of the forward pooling. Only its shape counts:
 *   its data is not read, its data type may differ, its address may be NULL.
 * - kernelSize, stride, padding, divisorOverride: as in aclnn_avgpool3d.h, but a kernel may be
 * larger than self.
 * - output: the gradient of self, of self's shape and gradOutput's data type.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Data types are FLOAT, FLOAT16 and BF16. Sums are in FLOAT and rounded once; the result has the
 * same bits for any number of threads, in every layout and on every machine. Any format is accepted
 * but the device's own and those that list the channels last (NHWC, NDHWC); any strides are, of
 * output those that give each element its own place, so memory with the channels innermost is
 * described by strides, which cost nothing extra. output must not overlap gradOutput. When
 * gradOutput is empty, nothing is written.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): a pointer is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: a data type is not in the list, or
 *   output's is not gradOutput's; ranks are not all 4 or all 5; a size is negative; self and output
 *   differ in shape; kernelSize, padding or stride has the wrong length; gradOutput's and output's
 *   formats differ or are not accepted; and, unless gradOutput is empty: a kernel, stride or
 *   padding is out of range; gradOutput has not the size that pooling gives; a view reaches behind
 *   its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * The meaning is that of CANN 8.1 on Atlas A2 (and of PyTorch's avg_pool3d_backward). */
ACLNN_API aclnnStatus aclnnAvgPool3dBackwardGetWorkspaceSize(
    const aclTensor *gradOuput, const aclTensor *self, const aclIntArray *kernelSize,
    const aclIntArray *stride, const aclIntArray *padding, bool ceilMode, bool countIncludePad,
    int64_t divisorOverride, aclTensor *output, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnAvgPool3dBackward(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
