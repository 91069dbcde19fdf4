/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the arc sine. */
#ifndef OP_API_INC_ASIN_GRAD_H_
#define OP_API_INC_ASIN_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* z = dy / sqrt(1 - y^2). Half types are computed in FLOAT and rounded once.
 *
 * - y: the operand of the arc sine, FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dy: the gradient of its result. Both promote and broadcast.
 * - z: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnAsinGradGetWorkspaceSize(const aclTensor *y, const aclTensor *dy,
                                                    aclTensor *z, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAsinGrad(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
