/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the square root. */
#ifndef OP_API_INC_SQRT_BACKWARD_H_
#define OP_API_INC_SQRT_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* z = dy / (2 y); 0 where dy is. Half types are computed in FLOAT and rounded once.
 *
 * - y: the square root, FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dy: its gradient. Both promote and broadcast.
 * - z: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnSqrtBackwardGetWorkspaceSize(const aclTensor *y, const aclTensor *dy,
                                                        aclTensor *z, uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSqrtBackward(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
