/* SPDX-License-Identifier: Apache-2.0 */
/* Powers. */
#ifndef OP_API_INC_POW2_H_
#define OP_API_INC_POW2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x1^x2: torch.pow of two tensors. Of integers a negative exponent gives the integer part.
 *
 * - x1, x2: FLOAT, FLOAT16, BF16, DOUBLE or integer types; they promote and broadcast.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnPow2GetWorkspaceSize(const aclTensor *x1, const aclTensor *x2,
                                                aclTensor *out, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPow2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
