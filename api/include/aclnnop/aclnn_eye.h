/* SPDX-License-Identifier: Apache-2.0 */
/* Identity matrices. */
#ifndef OP_API_INC_LEVEL2_ACLNN_EYE_H_
#define OP_API_INC_LEVEL2_ACLNN_EYE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i][j] = 1 where i == j, else 0, as torch.eye.
 *
 * - n, m: out's rows and columns, not negative. */
ACLNN_API aclnnStatus aclnnEyeGetWorkspaceSize(int64_t n, int64_t m, aclTensor *out,
                                               uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEye(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
