/* SPDX-License-Identifier: Apache-2.0 */
/* The scale of mixed precision. */
#ifndef OP_API_INC_AMP_UPDATE_SCALE_H_
#define OP_API_INC_AMP_UPDATE_SCALE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The scale of the next step, as torch._amp_update_scale_. If foundInf is not 0: currentScale *
 * backoffFactor, and the tracker 0. Else, if this was the
 * growthInterval-th step without an infinity: currentScale * growthFactor, unless that is
 * infinite, and the tracker 0. Else the scale stays and the
 * tracker is one more.
 *
 * - currentScale, foundInf: one element each. FLOAT, FLOAT16 or BF16.
 * - growthTracker: one element of INT32.
 * - growthInterval: at least 1.
 * - updatedScale: one element of FLOAT, FLOAT16 or BF16. May be currentScale.
 * - updatedGrowthTracker: one element of INT32. May be growthTracker. */
ACLNN_API aclnnStatus aclnnAmpUpdateScaleGetWorkspaceSize(
    const aclTensor *currentScale, const aclTensor *growthTracker, const aclTensor *foundInf,
    double growthFactor, double backoffFactor, int64_t growthInterval,
    const aclTensor *updatedScale, const aclTensor *updatedGrowthTracker, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAmpUpdateScale(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
