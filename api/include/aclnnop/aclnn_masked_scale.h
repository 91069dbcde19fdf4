/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling what a mask leaves: dropout. */
#ifndef OP_API_INC_MASKED_SCALE_H_
#define OP_API_INC_MASKED_SCALE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self * mask * scale.
 *
 * - self, mask: broadcast, and promote; of each FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32,
 *   INT64, UINT8 or BOOL. Integers and BOOL that meet no floating type are computed as FLOAT.
 * - scale: a number.
 * - out: of the broadcast shape, and of a floating type.
 *
 * Half types are computed in FLOAT and rounded once. The product with a mask of 0 is 0 with self's
 * sign, and NaN where self is infinite or NaN. */
ACLNN_API aclnnStatus aclnnMaskedScaleGetWorkspaceSize(const aclTensor *self, const aclTensor *mask,
                                                       float scale, aclTensor *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMaskedScale(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
