/* SPDX-License-Identifier: Apache-2.0 */
/* Linear unit with a weight per channel. */
#ifndef OP_API_INC_PRELU_H_
#define OP_API_INC_PRELU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self where self is positive, else weight self: torch.nn.functional.prelu.
 *
 * - self: channels along axis 1; of fewer than two dimensions there is one channel. FLOAT,
 *   FLOAT16, BF16 or DOUBLE.
 * - weight: one element, or as many as there are channels, in any shape. They promote.
 * - out: of self's shape; may be self. Of any floating type. */
ACLNN_API aclnnStatus aclnnPreluGetWorkspaceSize(const aclTensor *self, const aclTensor *weight,
                                                 aclTensor *out, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPrelu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
