/* SPDX-License-Identifier: Apache-2.0 */
/* 2-D average pooling to a given size. */
#ifndef OP_API_INC_ADAPTIVE_AVG_POOL2D_H_
#define OP_API_INC_ADAPTIVE_AVG_POOL2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs.
 * Reads no tensor data, needs no stream, may be called from any thread; the tensors' descriptors
 * may be destroyed as soon as it returns.
 *
 * Per axis, of I cells and O outputs, output o is of the cells
 *     floor(o * I / O) <= i < ceil((o + 1) * I / O)
 * and out is the mean of self over these cells of both axes, in every plane (n, c). Neighbouring
 * outputs may share cells.
 *
 * - self: (N, C, H, W) of format NCHW or (C, H, W) of format NCL; FLOAT, FLOAT16 or BF16.
 * - outputSize: (oH, oW), each >= 0.
 * - out: the result, (N, C, oH, oW) or (C, oH, oW), of self's data type and format. It must not
 *   overlap self.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Sums are in FLOAT and rounded once; the result has the same bits for any number of threads, in
 * every layout and on every machine. Any strides are accepted, of out those that give each element
 * its own place; strides as of NHWC memory cost nothing extra. When self or out is empty, nothing
 * is written.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): a pointer is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self has not
 *   3 or 4 dimensions, or out not as many; a size is negative; N or C differ; data types; formats;
 * the length and the values of outputSize, which must be out's sizes; a view reaches outside its
 *   storage;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * The meaning is that of CANN 8.1 on Atlas A2 (and of PyTorch's adaptive_avg_pool2d). */
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool2dGetWorkspaceSize(const aclTensor *self,
                                                             const aclIntArray *outputSize,
                                                             aclTensor *out,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool2d(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
