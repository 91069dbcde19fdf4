/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian error linear units. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GELU_H_
#define OP_API_INC_LEVEL2_ACLNN_GELU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self * (1 + erf(self / sqrt(2))) / 2, as torch.nn.functional.gelu.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of its shape.
 *
 * Half types are computed in FLOAT and rounded once. */
ACLNN_API aclnnStatus aclnnGeluGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGelu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
