/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of aclnnMaxUnpool2d. */
#ifndef OP_API_INC_MAX_UNPOOL2d_BACKWARD_H_
#define OP_API_INC_MAX_UNPOOL2d_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * In every plane (n, c), with positions counted in row-major order,
 *     out[i] = gradOutput[indices[i]]
 * for every i, equal indices included (the gradient of PyTorch's max_unpool2d, too, gives each of
 * them the whole). An index outside of gradOutput's plane, which is 0 to oH * oW - 1, gives 0; the
 * stream's next synchronise then returns 507015, with position and value of the first such index in
 * aclGetRecentErrMsg.
 *
 * - gradOutput: (N, C, oH, oW) or (C, oH, oW). FLOAT, FLOAT16, BF16, INT8, UINT8, INT16, INT32,
 *   INT64 or BOOL.
 * - self: (N, C, H, W) or (C, H, W), the input of aclnnMaxUnpool2d, of gradOutput's data type. Only
 *   its shape and type count: its data is not read, its address may be NULL.
 * - indices: of self's shape, INT32 or INT64.
 * - outputSize: (oH, oW), gradOutput's last two dimensions.
 * - out: the result, of self's shape. Its data type is one of the list; where it is not
 *   gradOutput's, values are cast: an integer to an integer keeps its low bits; anything to a
 *   floating type is rounded once to the nearest, ties to even, infinity beyond the range; BOOL
 *   counts as 0 or 1. From a floating type to an integer, and from another type to BOOL, there is
 *   no cast.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   contiguous and, when there is a cast, of out.
 * - executor: receives what phase 2 consumes.
 *
 * Formats do not matter, but for the device's own and those that list the channels last (NHWC,
 * NDHWC), which are refused unless self is empty. Any strides are accepted, of out those that give
 * each element its own place; out must not overlap the inputs. When self is empty nothing is
 * written. The result has the same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, self, indices,
 *   outputSize or out is NULL, looked for in this order;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: the data type of gradOutput, self
 *   or out is not in the list; there is no cast from self's to out's; gradOutput's is not self's;
 *   indices is not INT32 or INT64; self has not 3 or 4 dimensions; gradOutput has not as many, or
 *   other leading ones; indices or out has not self's shape; outputSize has not two entries;
 *   gradOutput's extents are not outputSize; gradOutput is empty and self is not; a size is
 *   negative; a format is not accepted; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * CANN leaves open what an index outside of the plane gives; BF16 is of ours. */
ACLNN_API aclnnStatus aclnnMaxUnpool2dBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    const aclIntArray *outputSize, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns. As aclnnMaxUnpool2d (aclnn_max_unpool2d.h),
 * which tells ownership, alignment and codes. */
ACLNN_API aclnnStatus aclnnMaxUnpool2dBackward(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
