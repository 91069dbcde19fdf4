/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients towards minus infinity. */
#ifndef OP_API_INC_FLOOR_DIV_H_
#define OP_API_INC_FLOOR_DIV_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self_x / self_y, rounded towards minus infinity: torch.floor_divide. Integers are divided
 * as integers.
 *
 * - self_x, self_y: FLOAT, FLOAT16, BF16, DOUBLE or integer types; they promote and broadcast.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnFloorDivGetWorkspaceSize(const aclTensor *self_x,
                                                    const aclTensor *self_y, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFloorDiv(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
