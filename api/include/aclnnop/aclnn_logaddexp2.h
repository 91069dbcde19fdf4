/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of sums of powers of 2. */
#ifndef OP_API_INC_LOG_ADD_EXP_2_H_
#define OP_API_INC_LOG_ADD_EXP_2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log(2^self + 2^other) to the base of 2, without overflow on the way, as torch.logaddexp2.
 * Two
 * equal infinities give themselves.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL; integers are computed as FLOAT.
 * - out: of the broadcast shape, of a floating type. */
ACLNN_API aclnnStatus aclnnLogAddExp2GetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                      aclTensor *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogAddExp2(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
