/* SPDX-License-Identifier: Apache-2.0 */
/* Sigmoid-weighted linear units. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SILU_H_
#define OP_API_INC_LEVEL2_ACLNN_SILU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self / (1 + e^-self), as torch.nn.functional.silu.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of its shape.
 *
 * Half types are computed in FLOAT and rounded once. */
ACLNN_API aclnnStatus aclnnSiluGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSilu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
