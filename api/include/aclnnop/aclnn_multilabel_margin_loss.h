/* SPDX-License-Identifier: Apache-2.0 */
/* The margins between classes that are targets and others. */
#ifndef OP_API_INC_MULTILABEL_MARGIN_LOSS_H_
#define OP_API_INC_MULTILABEL_MARGIN_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For each sample: the sum of max(0, 1 - self[j] + self[i]) / C over its targets j and all classes
 * i that are none of them, as torch.nn.functional.multilabel_margin_loss. Its targets are those
 * before the first negative one.
 *
 * - self: (N, C), (C) or, as one class, (); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - target: classes, INT32, INT64 or UINT8; of self's shape.
 * - reduction: 0: out has every loss; 1: their mean; 2: their sum.
 * - out: (N), or one element where reduction is not 0 or self has no N.
 * - isTarget: of self's shape: 1 for targets, 0 for other classes.
 *
 * A target that is no class is left out, and the stream's error is ACL_ERROR_RT_AICORE_EXCEPTION,
 * whose text has its position and value. */
ACLNN_API aclnnStatus aclnnMultilabelMarginLossGetWorkspaceSize(
    const aclTensor *self, const aclTensor *target, int64_t reduction, aclTensor *out,
    aclTensor *isTarget, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMultilabelMarginLoss(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
