/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a number's sign is negative. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SIGN_BIT_H_
#define OP_API_INC_LEVEL2_ACLNN_SIGN_BIT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = whether self is negative, as torch.signbit: true of -0, too.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - out: of its shape; BOOL, or any type, which then gets 0 and 1. */
ACLNN_API aclnnStatus aclnnSignbitGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSignbit(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
