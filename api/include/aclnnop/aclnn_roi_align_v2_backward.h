/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_LEVEL2_ACLNN_ROI_ALIGN_V2_BACKWARD_H_
#define OP_API_INC_LEVEL2_ACLNN_ROI_ALIGN_V2_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of aclnnRoiAlignV2: what each pixel gets of gradOutput, with the weights by which
 * bins have read it.
 *
 * gradOutput is (K, C, pooledHeight, pooledWidth), boxes (K, 5); inputShape has the four sizes of
 * self and gradInput is of that shape. All else is as there. */
ACLNN_API aclnnStatus aclnnRoiAlignV2BackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *boxes, const aclIntArray *inputShape,
    int64_t pooledHeight, int64_t pooledWidth, float spatialScale, int64_t samplingRatio,
    bool aligned, aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRoiAlignV2Backward(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
