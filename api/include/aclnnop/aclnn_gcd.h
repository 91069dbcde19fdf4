/* SPDX-License-Identifier: Apache-2.0 */
/* Greatest common divisors. */
#ifndef OP_API_INC_GCD_H_
#define OP_API_INC_GCD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the greatest common divisor of |self| and |other|, as torch.gcd; that of 0 and 0 is 0.
 *
 * - self, other: broadcast, and promote. INT8, INT16, INT32, INT64 or UINT8.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnGcdGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                               aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGcd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
