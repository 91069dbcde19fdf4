/* SPDX-License-Identifier: Apache-2.0 */
/* Hard shrinkage. */
#ifndef OP_API_INC_HARDSHRINK_H_
#define OP_API_INC_HARDSHRINK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = 0 where self is between -lambd and lambd, self elsewhere: torch.nn.functional.hardshrink.
 * Half types are computed in FLOAT and rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - lambd: a scalar.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnHardshrinkGetWorkspaceSize(const aclTensor *self, const aclScalar *lambd,
                                                      aclTensor *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHardshrink(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
