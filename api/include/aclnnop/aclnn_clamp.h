/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers held between bounds. */
#ifndef OP_API_INC_LEVEL2_ACLNN_CLAMP_H_
#define OP_API_INC_LEVEL2_ACLNN_CLAMP_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = min(max(self, clipValueMin), clipValueMax), as torch.clamp.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - clipValueMin, clipValueMax: scalars, which count for the promoted type by their kind alone.
 *   One of
 *   them may be NULL: there is no such bound. Both being NULL is refused with 161001.
 * - out: of self's shape.
 *
 * The upper bound wins where it is below the lower one. A NaN among a number and its bounds gives
 * NaN. */
ACLNN_API aclnnStatus aclnnClampGetWorkspaceSize(const aclTensor *self,
                                                 const aclScalar *clipValueMin,
                                                 const aclScalar *clipValueMax, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnClamp(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

/* out = max(self, clipValueMin), as aclnnClamp without an upper bound. */
ACLNN_API aclnnStatus aclnnClampMinGetWorkspaceSize(const aclTensor *self,
                                                    const aclScalar *clipValueMin, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnClampMin(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

/* out = min(self, clipValueMax), as aclnnClamp without a lower bound. */
ACLNN_API aclnnStatus aclnnClampMaxGetWorkspaceSize(const aclTensor *self,
                                                    const aclScalar *clipValueMax, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnClampMax(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

/* selfRef = min(selfRef, clipValueMax), as aclnnClampMax. */
ACLNN_API aclnnStatus aclnnInplaceClampMaxGetWorkspaceSize(const aclTensor *selfRef,
                                                           const aclScalar *clipValueMax,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceClampMax(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

/* out = min(max(self, clipValueMin), clipValueMax) with tensors as bounds, as torch.clamp.
 *
 * - self, clipValueMin, clipValueMax: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8,
 *   INT16, INT32, INT64, UINT8 or BOOL. One of the bounds may be NULL, both
 *   being NULL is refused with 161001.
 * - out: of the broadcast shape.
 *
 * The upper bound wins where it is below the lower one. A NaN among a number and its bounds gives
 * NaN. */
ACLNN_API aclnnStatus aclnnClampTensorGetWorkspaceSize(const aclTensor *self,
                                                       const aclTensor *clipValueMin,
                                                       const aclTensor *clipValueMax,
                                                       aclTensor *out, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnClampTensor(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

/* out = max(self, clipValueMin), as aclnnClampTensor without an upper bound. */
ACLNN_API aclnnStatus aclnnClampMinTensorGetWorkspaceSize(const aclTensor *self,
                                                          const aclTensor *clipValueMin,
                                                          aclTensor *out, uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnClampMinTensor(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

/* selfRef = max(selfRef, clipValueMin); clipValueMin broadcasts to selfRef's shape. */
ACLNN_API aclnnStatus aclnnInplaceClampMinTensorGetWorkspaceSize(aclTensor *selfRef,
                                                                 const aclTensor *clipValueMin,
                                                                 uint64_t *workspaceSize,
                                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceClampMinTensor(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

/* out = min(self, max), as aclnnClampTensor without a lower bound. */
ACLNN_API aclnnStatus aclnnClampMaxTensorGetWorkspaceSize(const aclTensor *self,
                                                          const aclTensor *max, aclTensor *out,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnClampMaxTensor(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

/* selfRef = min(selfRef, max); max broadcasts to selfRef's shape. */
ACLNN_API aclnnStatus aclnnInplaceClampMaxTensorGetWorkspaceSize(aclTensor *selfRef,
                                                                 const aclTensor *max,
                                                                 uint64_t *workspaceSize,
                                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceClampMaxTensor(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
