/* SPDX-License-Identifier: Apache-2.0 */
/* 3-D average pooling. */
#ifndef OP_API_INC_AVGPOOL3D_H_
#define OP_API_INC_AVGPOOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs.
 * Reads no tensor data, needs no stream, may be called from any thread; the tensors' descriptors
 * may be destroyed as soon as it returns.
 *
 * The windows, divisors and sizes are those of aclnn_avgpool2d.h, over three axes.
 *
 * - self: (N, C, D, H, W) or (C, D, H, W); FLOAT, FLOAT16 or BF16.
 * - kernelSize: one value for all axes, or (kD, kH, kW); each > 0 and at most self's size, the
 * padding not counted.
 * - stride: one value, or (sD, sH, sW), each > 0; an empty array means kernelSize.
 * - padding: one value, or (pD, pH, pW); each >= 0 and at most half of the kernel.
 * - divisorOverride: 0, or what every sum is divided by, of either sign.
 * - out: the result, of self's data type and format. It must not overlap self.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Sums are in FLOAT and rounded once; the result has the same bits for any number of threads, in
 * every layout and on every machine. Any format is accepted but the device's own and those that
 * list the channels last (NHWC, NDHWC); any strides are, of out those that give each element its
 * own place, so memory with the channels innermost is described by strides, which cost nothing
 * extra. With N or C = 0 nothing is written.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): a pointer is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: a data type is not in the list, or
 *   out's is not self's; formats differ or are not accepted; ranks are not both 4 or both 5; a
 *   size is negative; kernelSize, padding or stride has the wrong length; per axis a kernel, stride
 *   or padding is out of range; out has not the size that pooling gives; a view reaches outside its
 *   storage;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * The meaning is that of CANN 8.1 on Atlas A2 (and of PyTorch's avg_pool3d). */
ACLNN_API aclnnStatus aclnnAvgPool3dGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *kernelSize, const aclIntArray *stride,
    const aclIntArray *padding, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnAvgPool3d(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
