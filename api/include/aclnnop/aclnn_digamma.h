/* SPDX-License-Identifier: Apache-2.0 */
/* The derivative of the logarithm of the gamma function. */
#ifndef OP_API_INC_LEVEL2_ACLNN_DIGAMMA_H_
#define OP_API_INC_LEVEL2_ACLNN_DIGAMMA_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the derivative of log(gamma(self)), as torch.digamma: -infinity at 0, infinity at -0, NaN
 * at negative integers.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE; integers and BOOL are computed as FLOAT.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnDigammaGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDigamma(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
