/* SPDX-License-Identifier: Apache-2.0 */
/* 3-D maximum pooling to a given size. */
#ifndef OP_API_INC_ADAPTIVE_MAX_POOL3D_H_
#define OP_API_INC_ADAPTIVE_MAX_POOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: checks the arguments, plans the work, tells how much workspace phase 2 needs. Reads no
 * tensor data, needs no stream, may be called from any thread.
 *
 * As aclnnAdaptiveMaxPool2d, with planes of three axes: the same bins along each, the same rules
 * for equal elements and NaN, and indices (d * H + h) * W + w.
 *
 * - self: (N, C, D, H, W) or (C, D, H, W). FLOAT, FLOAT16 or BF16.
 * - outputSize: (oD, oH, oW), or one value for all three, or no entry, which means (D, H, W); each
 *   > 0.
 * - outputOut: the maxima, self's leading dimensions and those extents, of self's data type.
 * - indicesOut: of outputOut's shape, INT32 or INT64; INT32 only if D * H * W is at most 2^31 - 1.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   contiguous.
 * - executor: receives what phase 2 consumes.
 *
 * self and outputOut have one format, NCDHW, NCHW or ND; that of indicesOut is not looked at. Any
 * strides are accepted, of the results those that give each element its own place; tensors must not
 * overlap. When self is empty, which only its first dimension may make it, nothing is written. The
 * results have the same bits for any number of threads and on every machine.
 *
 * Returns ACLNN_SUCCESS (0), or a code, with a text in aclGetRecentErrMsg and nothing written:
 * - ACLNN_ERR_PARAM_NULLPTR (161001): workspaceSize, executor, self, outputSize, outputOut or
 *   indicesOut is NULL, looked for in this order;
 * - ACLNN_ERR_PARAM_INVALID (161002), looked for in this order: self, outputOut or indicesOut has
 *   not 4 or 5 dimensions; the data type of self, outputOut or indicesOut is not in the list;
 *   self's format is not in the list, or outputOut's is another; outputSize has not 0, 1 or 3
 *   entries; outputOut has another number of dimensions, other leading ones or other extents than
 *   outputSize says; indicesOut has not outputOut's shape; outputOut's data type is not self's; a
 *   size of self behind the first is 0, or one is negative; indicesOut is INT32 and the plane too
 *   large; an entry of outputSize is not greater than 0; a view reaches behind its memory;
 * - ACLNN_ERR_INNER_CREATE_EXECUTOR (561101): there is no host memory for the plan.
 *
 * INT64, ND and an outputSize of 0 or 1 entries are of newer devices than CANN 8.1's; CANN compares
 * only three dimensions of indicesOut. */
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3dGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *outputSize, aclTensor *outputOut,
    aclTensor *indicesOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns. As aclnnAdaptiveMaxPool2d
 * (aclnn_adaptive_max_pool2d.h), which tells ownership, alignment and codes. */
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3d(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
