/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients towards 0. */
#ifndef OP_API_INC_TRUNCATE_DIV_H_
#define OP_API_INC_TRUNCATE_DIV_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x1 / x2, rounded towards 0. Of integers a division by 0 is -1, as docs/numerics.md says.
 *
 * - x1, x2: FLOAT, FLOAT16, BF16, DOUBLE or integer types; they promote and broadcast.
 * - out: of the broadcast shape, of a type that the promoted one can be cast to. */
ACLNN_API aclnnStatus aclnnTruncateDivGetWorkspaceSize(const aclTensor *x1, const aclTensor *x2,
                                                       aclTensor *out, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTruncateDiv(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
