/* SPDX-License-Identifier: Apache-2.0 */
/* Outer products. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GER_H_
#define OP_API_INC_LEVEL2_ACLNN_GER_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i][j] = self[i] vec2[j], as torch.ger.
 *
 * - self: (m); vec2: (n); out: (m, n). FLOAT, FLOAT16, BF16, each its own; or DOUBLE, all of them.
 */
ACLNN_API aclnnStatus aclnnGerGetWorkspaceSize(const aclTensor *self, const aclTensor *vec2,
                                               aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGer(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
