/* SPDX-License-Identifier: Apache-2.0 */
/* Linear interpolation. */
#ifndef OP_API_INC_LEVEL2_ACLNN_LERP_TENSOR_H_
#define OP_API_INC_LEVEL2_ACLNN_LERP_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self + weight * (end - self), as torch.lerp; where weight is 0.5 and more in magnitude
 * computed as end - (end - self) * (1 - weight), so that a weight of 1 gives end.
 *
 * - self, end: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - weight: broadcasts with them, and promotes.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnLerpGetWorkspaceSize(const aclTensor *self, const aclTensor *end,
                                                const aclTensor *weight, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLerp(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* selfRef = selfRef + weight * (end - selfRef), as aclnnLerp; the others broadcast to selfRef's
 * shape. */
ACLNN_API aclnnStatus aclnnInplaceLerpGetWorkspaceSize(aclTensor *selfRef, const aclTensor *end,
                                                       const aclTensor *weight,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceLerp(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
