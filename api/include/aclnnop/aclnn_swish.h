/* SPDX-License-Identifier: Apache-2.0 */
/* Swish. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SWISH_H_
#define OP_API_INC_LEVEL2_ACLNN_SWISH_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self / (1 + e^(-beta self)); with beta = 1 torch.nn.functional.silu. Half types are
 * computed in FLOAT and rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - betaOptional: a scalar; NULL: 1.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnSwishGetWorkspaceSize(const aclTensor *self,
                                                 const aclScalar *betaOptional, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSwish(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
