/* SPDX-License-Identifier: Apache-2.0 */
/* Softsign. */
#ifndef OP_API_INC_SOFTSIGN_H_
#define OP_API_INC_SOFTSIGN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self / (1 + |self|): torch.nn.functional.softsign. Half types are computed in FLOAT and
 * rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnSoftsignGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftsign(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
