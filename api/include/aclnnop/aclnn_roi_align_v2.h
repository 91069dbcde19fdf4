/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_LEVEL2_ACLNN_ROI_ALIGN_V2_H_
#define OP_API_INC_LEVEL2_ACLNN_ROI_ALIGN_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Regions of images in one size: torchvision.ops.roi_align.
 *
 *     out[k, c, h, w] = mean over places of self[image of k, c] at place
 *
 * boxes is (K, 5): the number of an image and x1, y1, x2, y2, which spatialScale, greater than 0,
 * turns into pixels; with aligned they are half a pixel less, without it a region is at least one
 * pixel wide and high. A region is cut into pooledHeight times pooledWidth bins, and a bin has
 * samplingRatio places along each axis, from 0 to 4096; 0: as many as it has pixels, rounded up. A
 * place is read between four pixels; more than a pixel outside of the image it is 0, else the
 * outermost pixel.
 *
 * self is (B, C, H, W) with at least one pixel, out (K, C, pooledHeight, pooledWidth); all are
 * FLOAT, FLOAT16, BFLOAT16 or DOUBLE, of one type; half types are computed in FLOAT. A number of
 * an image is rounded down; one that is not from 0 to B - 1 is the stream's error, and its region
 * is 0. */
ACLNN_API aclnnStatus aclnnRoiAlignV2GetWorkspaceSize(const aclTensor *self, const aclTensor *boxes,
                                                      int64_t pooledHeight, int64_t pooledWidth,
                                                      float spatialScale, int64_t samplingRatio,
                                                      bool aligned, aclTensor *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRoiAlignV2(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
