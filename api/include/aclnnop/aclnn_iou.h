/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_LEVEL2_ACLNN_IOU_H_
#define OP_API_INC_LEVEL2_ACLNN_IOU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much boxes (x0, y0, x1, y1) overlap, each of bBoxes (m, 4) with each of gtBoxes (n, 4):
 * overlap is (m, n); with aligned each with its own: both are (m, 4), overlap (m, 1).
 *
 *     iou = common / (area of bBoxes + area of gtBoxes - common)        iof = common / area of
 * gtBoxes
 *
 * as mode says, "iou" or "iof". Widths and heights are eps longer, which must not be negative;
 * common ones at least 0. FLOAT, FLOAT16, BFLOAT16 or DOUBLE, of one type; half types are computed
 * in FLOAT. */
ACLNN_API aclnnStatus aclnnIouGetWorkspaceSize(const aclTensor *bBoxes, const aclTensor *gtBoxes,
                                               const char *mode, float eps, bool aligned,
                                               aclTensor *overlap, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIou(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
