/* SPDX-License-Identifier: Apache-2.0 */
/* Log-odds. */
#ifndef ACLNN_LOGIT_H_
#define ACLNN_LOGIT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log(z / (1 - z)), z = input raised to eps or lowered to 1 - eps: torch.logit. Without
 * bounds a NaN outside of [0, 1]. Half types are computed in FLOAT and rounded once.
 *
 * - input: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - eps: negative for no bounds.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnLogitGetWorkspaceSize(const aclTensor *input, double eps,
                                                 const aclTensor *out, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogit(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
