/* SPDX-License-Identifier: Apache-2.0 */
/* The mean of every plane. */
#ifndef OP_API_INC_GLOBAL_AVERAGE_POOL_H_
#define OP_API_INC_GLOBAL_AVERAGE_POOL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs.
 * Reads no tensor data, needs no stream, may be called from any thread; the tensors' descriptors
 * may be destroyed as soon as it returns.
 *
 *     out[n, c] = the mean of self[n, c] over all other dimensions
 *
 * - self: (N, C, ...) of 4 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE; format ND, NCHW or
 * NCDHW.
 * - out: (N, C, 1, ..., 1) of as many dimensions, self's data type and format. It must not overlap
 *   self.
 * - workspaceSize: receives the bytes that phase 2 needs, often 0.
 * - executor: receives what phase 2 consumes.
 *
 * Sums are in FLOAT and rounded once; the result has the same bits for any number of threads, in
 * every layout and on every machine. Any strides are accepted, of out those that give each element
 * its own place; strides with C innermost cost nothing extra. DOUBLE is summed in DOUBLE. When N or
 * C is 0, nothing is written; another size of 0 is refused, as it has no mean.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): a pointer is NULL;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: data types;
 *   formats; ranks; a size is negative; out is not (N, C, 1, ..., 1); a size of self behind N and C
 *   is 0; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * The meaning is that of CANN 8.1 on Atlas A2 (and of ONNX's GlobalAveragePool). */
ACLNN_API aclnnStatus aclnnGlobalAveragePoolGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; see aclnn_avgpool2d_backward.h for the rules
 * of workspace, executor and stream, which all operators share.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream. */
ACLNN_API aclnnStatus aclnnGlobalAveragePool(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
