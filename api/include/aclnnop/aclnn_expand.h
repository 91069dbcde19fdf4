/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasting. */
#ifndef OP_API_INC_EXPAND_H_
#define OP_API_INC_EXPAND_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self broadcast to a shape, as torch.Tensor.expand; out is a copy.
 *
 * - size: out's shape, with as many elements as self has dimensions or more. -1 keeps self's size.
 * - out: of self's type. */
ACLNN_API aclnnStatus aclnnExpandGetWorkspaceSize(const aclTensor *self, const aclIntArray *size,
                                                  aclTensor *out, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnExpand(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
