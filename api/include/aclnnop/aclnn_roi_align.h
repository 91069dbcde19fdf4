/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_LEVEL2_ACLNN_ROI_ALIGN_H_
#define OP_API_INC_LEVEL2_ACLNN_ROI_ALIGN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Regions of images in one size, as ONNX has it: aclnnRoiAlignV2 without aligned, with boxes rois
 * (numRois, 4): x1, y1, x2, y2, and the numbers of their images in batchIndices, INT32 (numRois).
 * out is (numRois, C, outputHeight, outputWidth). mode is "avg"; "max" is not supported. */
ACLNN_API aclnnStatus aclnnRoiAlignGetWorkspaceSize(const aclTensor *self, const aclTensor *rois,
                                                    const aclTensor *batchIndices, const char *mode,
                                                    int outputHeight, int outputWidth,
                                                    int samplingRatio, float spatialScale,
                                                    aclTensor *out, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRoiAlign(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
