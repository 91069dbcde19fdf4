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
 * - self: (m); vec2: (n). FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
 *   COMPLEX64 or COMPLEX128, each its own: they promote.
 * - out: (m, n), of the promoted type or one that it can be cast to. Half types are multiplied in
 *   FLOAT; integers wrap; of BOOL it is and. */
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
