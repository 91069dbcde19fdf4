/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of aclnnMaxUnpool3d. */
#ifndef OP_API_INC_MAX_UNPOOL3D_BACKWARD_H_
#define OP_API_INC_MAX_UNPOOL3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * As aclnnMaxUnpool2dBackward, with planes of three axes: out[i] = gradOutput[indices[i]], 0 where
 * the index is outside of 0 to oD * oH * oW - 1, which the stream's next synchronise reports
 * (507015).
 *
 * - gradOutput: (N, C, oD, oH, oW) or (C, oD, oH, oW). FLOAT, FLOAT16, BF16, DOUBLE, INT8, UINT8,
 *   INT16, INT32 or INT64.
 * - self: (N, C, D, H, W) or (C, D, H, W), the input of aclnnMaxUnpool3d, of gradOutput's data
 *   type. Only its shape and type count: its data is not read, its address may be NULL.
 * - indices: of self's shape, INT64 only.
 * - outputSize: (oD, oH, oW), gradOutput's last three dimensions, each > 0, their product not less
 *   than D * H * W.
 * - stride: three entries, each > 0; padding: three entries of any value. Nothing depends on them.
 * - out: the result, of self's shape and data type. It must be contiguous.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each input that is not
 *   contiguous.
 * - executor: receives what phase 2 consumes.
 *
 * Formats do not matter, but for the device's own and those that list the channels last (NHWC,
 * NDHWC), which are refused unless self is empty. The inputs may have any strides; out must not
 * overlap them. When gradOutput is empty, which only its first dimension may make it, nothing is
 * written. The result has the same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, gradOutput, self, indices,
 *   outputSize, stride, padding or out is NULL, looked for in this order;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: out is not contiguous; gradOutput's
 *   data type is not in the list, or self's or out's is another; indices is not INT64; self has not
 *   4 or 5 dimensions; indices or out has not as many; indices or out has not self's shape; a size
 *   of self behind the first is 0, or one is negative; outputSize, stride or padding has not three
 *   entries; an entry of stride or outputSize is not greater than 0; outputSize holds less than
 *   self's plane; gradOutput has another number of dimensions, other extents than outputSize or
 *   other leading dimensions; a format is not accepted; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * CANN leaves open what an index outside of the plane gives; BF16 is of ours. */
ACLNN_API aclnnStatus aclnnMaxUnpool3dBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    const aclIntArray *outputSize, const aclIntArray *stride, const aclIntArray *padding,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns. As aclnnMaxUnpool2d (aclnn_max_unpool2d.h),
 * which tells ownership, alignment and codes. */
ACLNN_API aclnnStatus aclnnMaxUnpool3dBackward(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
