/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of the error function. */
#ifndef OP_API_INC_LEVEL2_ACLNN_ERFINV_H_
#define OP_API_INC_LEVEL2_ACLNN_ERFINV_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the number whose error function is self, as torch.erfinv: infinite at 1 and -1, NaN
 * beyond.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE; integers and BOOL are computed as FLOAT.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnErfinvGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnErfinv(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

/* selfRef, of a floating type, becomes what aclnnErfinv gives for it. */
ACLNN_API aclnnStatus aclnnInplaceErfinvGetWorkspaceSize(const aclTensor *selfRef,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceErfinv(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
