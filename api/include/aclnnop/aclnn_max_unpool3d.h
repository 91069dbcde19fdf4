/* SPDX-License-Identifier: Apache-2.0 */
/* The partial inverse of 3-D maximum pooling. */
#ifndef OP_API_INC_MAX_UNPOOL3D_H_
#define OP_API_INC_MAX_UNPOOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * As aclnnMaxUnpool2d, with planes of three axes: position (d, h, w) is (d * oH + h) * oW + w. For
 * rising i, outRef[indices[i]] = self[i]; everything else becomes 0; the last of equal indices
 * stays; an index outside of 0 to oD * oH * oW - 1 is not followed and reported by the stream's
 * next synchronise (507015).
 *
 * - self: (N, C, D, H, W) or (C, D, H, W). FLOAT, FLOAT16, BF16, DOUBLE, INT8, UINT8, INT16, INT32
 *   or INT64.
 * - indices: of self's shape, INT32 or INT64.
 * - outputSize: (oD, oH, oW), each > 0, their product not less than D * H * W.
 * - stride: three entries, each > 0; padding: three entries of any value. Nothing depends on them.
 * - outRef: the result, self's leading dimensions and outputSize, of self's data type. It must be
 *   contiguous.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each input that is not
 *   contiguous.
 * - executor: receives what phase 2 consumes.
 *
 * Formats do not matter, but for the device's own and those that list the channels last (NHWC,
 * NDHWC), which are refused unless self is empty. self and indices may have any strides; outRef
 * must not overlap them. When self is empty, which only its first dimension may make it, nothing is
 * written. The result has the same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self, indices, outputSize, stride,
 *   padding or outRef is NULL, looked for in this order;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: outRef is not contiguous; self's
 *   data type is not in the list, or outRef's is not self's; indices is not INT32 or INT64; self
 *   has not 4 or 5 dimensions; indices has not self's shape; a size of self behind the first is 0,
 *   or one is negative; outputSize, stride or padding has not three entries; an entry of stride or
 *   outputSize is not greater than 0; outputSize holds less than self's plane; outRef has another
 *   number of dimensions, leading dimensions or extents; a format is not accepted; a view reaches
 *   behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * CANN leaves open which value of equal indices stays and what an index outside does; BF16 is of
 * ours. */
ACLNN_API aclnnStatus aclnnMaxUnpool3dGetWorkspaceSize(
    const aclTensor *self, const aclTensor *indices, const aclIntArray *outputSize,
    const aclIntArray *stride, const aclIntArray *padding, aclTensor *outRef,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns. As aclnnMaxUnpool2d (aclnn_max_unpool2d.h),
 * which tells ownership, alignment and codes. */
ACLNN_API aclnnStatus aclnnMaxUnpool3d(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
