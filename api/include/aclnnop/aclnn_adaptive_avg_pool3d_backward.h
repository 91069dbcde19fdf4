/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of 3-D average pooling to a given size. */
#ifndef OP_API_INC_AdaptiveAvgPool3dBackward_H_
#define OP_API_INC_AdaptiveAvgPool3dBackward_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs.
 * Reads no tensor data, needs no stream, may be called from any thread; the tensors' descriptors
 * may be destroyed as soon as it returns.
 *
 * With the cells of each output as in aclnn_adaptive_avg_pool3d.h, in every plane (n, c)
 *     out[i] = sum over all outputs o that hold cell i of gradOutput[o] / (the number of o's cells)
 *
 * - gradOutput: (N, C, D, H, W) or (C, D, H, W), with the pooled sizes; FLOAT, FLOAT16 or BF16.
 * - self: the input of the forward pooling, (N, C, D, H, W) or (C, D, H, W). Only its shape and
 * data type count: its data is not read, its address may be NULL.
 * - out: the gradient of self, of its shape, data type and format. It must not overlap gradOutput.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Sums are in FLOAT and rounded once; the result has the same bits for any number of threads, in
 * every layout and on every machine. Any strides are accepted, of out those that give each element
 * its own place; strides as of channels-last memory cost nothing extra. Any format is
 * accepted but the device's own and those that list the channels last (NHWC, NDHWC). When self or
 * gradOutput is empty, nothing is written. DOUBLE is accepted where gradOutput has one element per
 * plane.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): a pointer is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: ranks are not
 *   4 or 5 and the same; a size is negative; out's shape is not self's; gradOutput's N or C is not
 * self's; data types; formats; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * The meaning is that of CANN 8.1 on Atlas A2 (and of PyTorch's adaptive_avg_pool3d_backward).
 * Unlike in CANN, out's sizes and data type are checked. */
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                                     const aclTensor *self,
                                                                     aclTensor *out,
                                                                     uint64_t *workspaceSize,
                                                                     aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool3dBackward(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
