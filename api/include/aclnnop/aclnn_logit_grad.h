/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of log-odds. */
#ifndef ACLNN_LOGIT_GRAD_H_
#define ACLNN_LOGIT_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = dy / (x (1 - x)); outside of [eps, 1 - eps] 0, or without bounds a NaN outside of [0, 1]:
 * the gradient of torch.logit. Half types are computed in FLOAT and rounded once.
 *
 * - x, dy: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - eps: negative for no bounds.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnLogitGradGetWorkspaceSize(const aclTensor *x, const aclTensor *dy,
                                                     double eps, const aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogitGrad(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
