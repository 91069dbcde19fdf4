/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_NON_MAX_SUPPRESSION_H_
#define OP_API_INC_NON_MAX_SUPPRESSION_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Boxes that no better one covers: for each batch and class the box of the highest score stays (of
 * equal ones that of lower number), and boxes of which more than iouThreshold of what both cover
 * is common are left out; then the best of the others, and so on, as ONNX's NonMaxSuppression and
 * torchvision.ops.nms.
 *
 * boxes is (batches, n, 4), scores (batches, classes, n), both FLOAT, FLOAT16 or BFLOAT16. A box
 * is two opposite corners (y1, x1, y2, x2), with centerPointBox 1 (x, y, width, height) around its
 * center. The first entry of each array counts: maxOutputBoxesPerClass, from 0 to 700, is how many
 * boxes of a class stay at most, none if it is NULL or empty; iouThreshold and scoreThreshold are
 * from 0 to 1, 0 if NULL or empty. A box whose score is not above scoreThreshold does not stay.
 *
 * selectedIndices is INT32 (rows, 3): batch, class and box of those that stay, ordered by batch,
 * class and falling score. Rows behind them are -1; what finds no row is left out. */
ACLNN_API aclnnStatus aclnnNonMaxSuppressionGetWorkspaceSize(
    const aclTensor *boxes, const aclTensor *scores, aclIntArray *maxOutputBoxesPerClass,
    aclFloatArray *iouThreshold, aclFloatArray *scoreThreshold, int32_t centerPointBox,
    aclTensor *selectedIndices, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNonMaxSuppression(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
