/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of repeated elements. */
#ifndef OP_API_INC_REPEAT_INTERLEAVE_GRAD_H_
#define OP_API_INC_REPEAT_INTERLEAVE_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of torch.repeat_interleave: part i of out along axis is the sum of the repeats[i]
 * parts of yGrad that it became. FLOAT16 and BF16 are summed in FLOAT and rounded once.
 *
 * - yGrad: FLOAT, FLOAT16, BF16 or DOUBLE, as out.
 * - repeats: one number for all, or one for each part of out; INT32 or INT64. They must add up to
 *   yGrad's size along axis: the stream's error says where they do not.
 * - axis: may be counted from the end.
 * - out: of yGrad's shape but for axis; may overlap yGrad. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveGradGetWorkspaceSize(const aclTensor *yGrad,
                                                                const aclTensor *repeats,
                                                                int64_t axis, const aclTensor *out,
                                                                uint64_t *workspaceSize,
                                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveGrad(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
