/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_AFFINE_GRID_H_
#define OP_API_INC_AFFINE_GRID_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The grid that aclnnGridSampler2D or 3D reads for an affine map: torch.nn.functional.affine_grid.
 *
 *     out[n, h, w] = theta[n] (x(w), y(h), 1)        out[n, d, h, w] = theta[n] (x(w), y(h), z(d),
 * 1)
 *
 * size is the shape of the image to be made, (N, C, H, W) or (N, C, D, H, W); theta (N, 2, 3) or
 * (N, 3, 4); out (N, H, W, 2) or (N, D, H, W, 3), of theta's type: FLOAT, FLOAT16, BFLOAT16 or
 * DOUBLE. x, y and z go from -1 to 1: centers of the pixels, or with alignCorners from the center
 * of the first to that of the last. An axis of one pixel has 0. */
ACLNN_API aclnnStatus aclnnAffineGridGetWorkspaceSize(const aclTensor *theta,
                                                      const aclIntArray *size, bool alignCorners,
                                                      aclTensor *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAffineGrid(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
