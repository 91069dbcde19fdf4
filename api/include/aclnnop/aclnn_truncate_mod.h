/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders of quotients towards 0. */
#ifndef OP_API_INC_TRUNCATE_MOD_H_
#define OP_API_INC_TRUNCATE_MOD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x1 - trunc(x1 / x2) x2, exactly; it has x1's sign: torch.fmod. Of integers a remainder by
 * 0 is x1.
 *
 * - x1, x2: FLOAT, FLOAT16, BF16, DOUBLE or integer types; they promote and broadcast.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnTruncateModGetWorkspaceSize(const aclTensor *x1, const aclTensor *x2,
                                                       aclTensor *out, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTruncateMod(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
