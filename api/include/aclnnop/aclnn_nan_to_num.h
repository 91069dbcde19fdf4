/* SPDX-License-Identifier: Apache-2.0 */
/* NaN and infinities replaced by numbers. */
#ifndef OP_API_INC_LEVEL2_ACLNN_NANTONUM_H_
#define OP_API_INC_LEVEL2_ACLNN_NANTONUM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = nan where self is NaN, posinf where it is infinity, neginf where it is -infinity, self
 * elsewhere: torch.nan_to_num.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - nan, posinf, neginf: numbers, rounded to the type of out; what is too large for a half type
 *   becomes infinity.
 * - out: of its shape.
 *
 * Integers and BOOL stay as they are. */
ACLNN_API aclnnStatus aclnnNanToNumGetWorkspaceSize(const aclTensor *self, float nan, float posinf,
                                                    float neginf, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNanToNum(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

/* selfRef becomes what aclnnNanToNum gives for it. */
ACLNN_API aclnnStatus aclnnInplaceNanToNumGetWorkspaceSize(aclTensor *selfRef, float nan,
                                                           float posinf, float neginf,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceNanToNum(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
