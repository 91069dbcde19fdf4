/* SPDX-License-Identifier: Apache-2.0 */
/* 3-D average pooling to a given size. */
#ifndef OP_API_INC_ADAPTIVE_AVG_POOL3D_H_
#define OP_API_INC_ADAPTIVE_AVG_POOL3D_H_

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
 * and out is the mean of self over these cells of the three axes, in every plane (n, c).
 * Neighbouring outputs may share cells.
 *
 * - self: (N, C, D, H, W) or (C, D, H, W); FLOAT, FLOAT16 or BF16.
 * - outputSize: (oD, oH, oW), each > 0.
 * - out: the result, (N, C, oD, oH, oW) or (C, oD, oH, oW), of self's data type and format. It must
 *   not overlap self.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Sums are in FLOAT and rounded once; the result has the same bits for any number of threads, in
 * every layout and on every machine. Any strides are accepted, of out those that give each element
 * its own place; strides as of NDHWC memory cost nothing extra. Any format is accepted
 * but the device's own and those that list the channels last (NHWC, NDHWC). When the first
 * dimension is 0, nothing is written.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): a pointer is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self has not
 *   4 or 5 dimensions, or out not as many; a size of self but the first is 0, or negative; N or C
 *   differ; a size of out is 0; data types; formats; the length and the values of outputSize, which
 *   must be out's sizes; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * The meaning is that of CANN 8.1 on Atlas A2 (and of PyTorch's adaptive_avg_pool3d). */
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool3dGetWorkspaceSize(const aclTensor *self,
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
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool3d(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
