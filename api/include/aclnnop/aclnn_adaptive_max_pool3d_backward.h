/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of aclnnAdaptiveMaxPool3d. */
#ifndef OP_API_INC_LEVEL2_ACLNN_ADAPTIVE_MAX_POOL3D_BACKWARD_H_
#define OP_API_INC_LEVEL2_ACLNN_ADAPTIVE_MAX_POOL3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1: as aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize (aclnn_adaptive_max_pool2d_backward.h)
 * in all but the number of axes:
 *
 * - gradOutput: (N, C, oD, oH, oW) or (C, oD, oH, oW). FLOAT, FLOAT16 or BF16.
 * - self: (N, C, D, H, W) or (C, D, H, W); only its shape, type and format count.
 * - indices: of gradOutput's shape, INT32 or INT64, each 0 to D * H * W - 1.
 * - gradInput: gradInput[indices[i]] += gradOutput[i] over zeros, of self's shape and data type.
 * - workspaceSize: receives the bytes that phase 2 needs: 0, or a copy of each tensor that is not
 *   contiguous.
 * - executor: receives what phase 2 consumes.
 *
 * The same codes for the same reasons in the same order, with 4 or 5 dimensions in place of 3 or 4;
 * indices outside of the plane are reported by the stream's next synchronise (507015). INT64
 * indices are of newer devices than CANN 8.1's. */
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *indices,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on the stream and returns. As aclnnAdaptiveMaxPool2d
 * (aclnn_adaptive_max_pool2d.h), which tells ownership, alignment and codes. */
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3dBackward(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
