/* SPDX-License-Identifier: Apache-2.0 */
/* 2-D average pooling. */
#ifndef OP_API_INC_AVGPOOL2D_H_
#define OP_API_INC_AVGPOOL2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs.
 * Reads no tensor data, needs no stream, may be called from any thread; the tensors' descriptors
 * may be destroyed as soon as it returns.
 *
 * Per axis, with kernel k, stride s and padding p, window o covers [start, end) of the input:
 *     start = o * s - p,  end = min(start + k, size + p)
 * and in every plane (n, c)
 *     out[o] = sum over the cells i of window o that lie in the input of self[i] / divisor(o)
 * where divisor(o) is
 *     divisorOverride                                     when that is not 0, whatever its sign;
 *     the product over both axes of end - start           else, when countIncludePad is true;
 *     the same of min(end, size) - max(start, 0)          when it is false.
 * Each axis of out has the size, with E = size + 2 * p - k:
 *     floor(E / s) + 1, or with ceilMode ceil(E / s) + 1, less 1 when the last window would start
 *     at or beyond size + p.
 *
 * - self: (N, C, H, W) of format NCHW or (C, H, W) of format NCL; FLOAT, FLOAT16 or BF16.
 * - kernelSize: one value for both axes, or (kH, kW); each > 0. Entries behind the second say
 * nothing.
 * - strides: one value, or (sH, sW), each > 0; an empty array means kernelSize.
 * - paddings: one value, or (pH, pW); each >= 0 and at most half of the kernel.
 * - cubeMathType: precision. 0 and 4 compute with the values as they are; 2 first rounds FLOAT and
 *   BF16 values of self to FLOAT16 (infinity beyond its range); 1 and 3 round FLOAT values to 11
 * bits of mantissa. ACLNN_CPU_MATH=exact makes all of them 0.
 * - out: the result, of self's data type and format. It must not overlap self.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Sums are in FLOAT and rounded once; the result has the same bits for any number of threads, in
 * every layout and on every machine. Any strides are accepted, of out those that give each element
 * its own place; strides as of NHWC memory cost nothing extra. With N = 0 nothing is written, and
 * the workspace is 0.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): a pointer is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: a data type is not in the list, or
 *   out's is not self's; a format is not NCHW for 4 and NCL for 3 dimensions; a size is negative,
 * an entry of kernelSize, strides or paddings out of range; ranks are not both 3 or both 4; C, H or
 * W is 0; an array has the wrong length; a padding is more than half of the kernel; out has not the
 *   size that pooling gives; cubeMathType is not 0 to 4; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * The meaning is that of CANN 8.1 on Atlas A2 (and of PyTorch's avg_pool2d). Unlike there, every
 * cubeMathType is accepted for every shape. */
ACLNN_API aclnnStatus aclnnAvgPool2dGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *kernelSize, const aclIntArray *strides,
    const aclIntArray *paddings, const bool ceilMode, const bool countIncludePad,
    const int64_t divisorOverride, const int8_t cubeMathType, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnAvgPool2d(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
