/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_GRID_SAMPLER3D_H_
#define OP_API_INC_GRID_SAMPLER3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An image, read at the places that a grid names: torch.nn.functional.grid_sample.
 *
 *     out[n, c, p] = input[n, c] at grid[n, p]
 *
 * input is (N, C, D, H, W), each axis of the image from 1 to 2147483647 pixels; grid (N, Do, Ho,
 * Wo, 3), the place along W first; out (N, C, Do, Ho, Wo). All are FLOAT, FLOAT16, BFLOAT16 or
 * DOUBLE, of one type; half types are computed in FLOAT. A place of -1 is the first pixel's edge
 * and 1 the last one's, with alignCorners their centers.
 *
 * interpolationMode is 0 (trilinear, of the 8 pixels around it), 1 (nearest; halves go to the even
 * pixel). paddingMode says what is outside: 0 nothing, which is 0; 1 the outermost pixel; 2 the
 * image mirrored at its edges, with alignCorners at its outermost pixels. NaN is outside with
 * paddingMode 0, else it is pixel 0. */
ACLNN_API aclnnStatus aclnnGridSampler3DGetWorkspaceSize(
    const aclTensor *input, const aclTensor *grid, int64_t interpolationMode, int64_t paddingMode,
    bool alignCorners, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGridSampler3D(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
