/* SPDX-License-Identifier: Apache-2.0 */
/* The partial inverse of 2-D maximum pooling. */
#ifndef OP_API_INC_MAX_UNPOOL2D_H_
#define OP_API_INC_MAX_UNPOOL2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * In every plane (n, c), with positions counted in row-major order, first all of out is 0, then for
 * rising i
 *     out[indices[i]] = self[i]
 * so where an index comes twice the last value stays, and values keep their bits. An index outside
 * of the plane, which is 0 to oH * oW - 1, is not followed; the stream's next synchronise then
 * returns 507015, with position and value of the first such index in aclGetRecentErrMsg, and all
 * other values are where they belong.
 *
 * - self: (N, C, H, W) or (C, H, W). FLOAT, FLOAT16, BF16, DOUBLE, INT8, UINT8, INT16, INT32 or
 *   INT64.
 * - indices: what maximum pooling returned: of self's shape, INT32 or INT64.
 * - outputSize: (oH, oW), each > 0, oH * oW not less than H * W.
 * - out: the result, (N, C, oH, oW) or (C, oH, oW), of self's data type.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   contiguous.
 * - executor: receives what phase 2 consumes.
 *
 * Formats do not matter, but for the device's own and those that list the channels last (NHWC,
 * NDHWC), which are refused unless self is empty. Any strides are accepted, of out those that give
 * each element its own place; out must not overlap the inputs. When self is empty, which only N (or
 * C of three dimensions) may make it, nothing is written and out's shape is not looked at. The
 * result has the same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self, indices, outputSize or out is
 *   NULL, looked for in this order;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self's data type is not in the
 *   list, or out's is not self's; indices is not INT32 or INT64; self has not 3 or 4 dimensions;
 *   indices has not self's shape; a size of self behind the first is 0, or one is negative;
 *   outputSize has not two entries, or one is not greater than 0, or they hold less than self's
 *   plane; out has another shape; a format is not accepted; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * CANN leaves open which value of equal indices stays and what an index outside does, and finds a
 * wrong shape of out late (561103); BF16 is of ours. */
ACLNN_API aclnnStatus aclnnMaxUnpool2dGetWorkspaceSize(const aclTensor *self,
                                                       const aclTensor *indices,
                                                       const aclIntArray *outputSize,
                                                       aclTensor *out, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns; NULL means the default stream of the calling
 * thread's current context. The executor is used up, on failure too, unless it was made repeatable.
 * workspace is device memory of workspaceSize bytes, aligned to 32, at least as many as phase 1
 * told; it may be freed at once (the memory is released when the work has run), as may the tensors'
 * descriptors. The addresses used are those that the tensors have now.
 * - ACLNN_ERR_PARAM_NULLPTR (161001): executor is NULL, or workspace or a tensor's address is where
 *   one is needed;
 * - ACLNN_ERR_PARAM_INVALID (161002): workspaceSize is too small;
 * - ACLNN_ERR_RUNTIME_ERROR (361001): the runtime refuses the stream.
 * What goes wrong later, an index outside of its plane among it (507015), is returned by the
 * stream's next synchronise. */
ACLNN_API aclnnStatus aclnnMaxUnpool2d(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
