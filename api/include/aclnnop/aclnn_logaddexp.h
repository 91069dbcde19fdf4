/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of sums of powers of e. */
#ifndef OP_API_INC_LOG_ADD_EXP_H_
#define OP_API_INC_LOG_ADD_EXP_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log(e^self + e^other) to the base of e, without overflow on the way, as torch.logaddexp.
 * Two
 * equal infinities give themselves.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL; integers are computed as FLOAT.
 * - out: of the broadcast shape, of a floating type. */
ACLNN_API aclnnStatus aclnnLogAddExpGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                     aclTensor *out, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogAddExp(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
