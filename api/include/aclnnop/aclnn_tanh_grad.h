/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the hyperbolic tangent. */
#ifndef OP_API_INC_TANH_GRAD_H_
#define OP_API_INC_TANH_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* dx = dy (1 - y^2). Half types are computed in FLOAT and rounded once.
 *
 * - y: the result of tanh, FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dy: its gradient. Both promote and broadcast.
 * - dx: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnTanhGradGetWorkspaceSize(const aclTensor *y, const aclTensor *dy,
                                                    aclTensor *dx, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTanhGrad(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
