/* SPDX-License-Identifier: Apache-2.0 */
/* sin(pi x) / (pi x). */
#ifndef OP_API_INC_SINC_H_
#define OP_API_INC_SINC_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = sin(pi self) / (pi self), and 1 where self is 0: torch.sinc. Of any other integer it is 0;
 * NaN for an infinity.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE; integers and BOOL are computed as FLOAT.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnSincGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSinc(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* selfRef, of a floating type, becomes what aclnnSinc gives for it. */
ACLNN_API aclnnStatus aclnnInplaceSincGetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceSinc(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
