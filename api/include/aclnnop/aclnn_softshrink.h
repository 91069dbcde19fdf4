/* SPDX-License-Identifier: Apache-2.0 */
/* Soft shrinkage. */
#ifndef OP_API_INC_SOFTSHRINK_H_
#define OP_API_INC_SOFTSHRINK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self - lambd above lambd, self + lambd below -lambd, 0 between:
 * torch.nn.functional.softshrink; a NaN stays one. Half types are computed in FLOAT and rounded
 * once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - lambd: a scalar; a negative one is refused.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnSoftshrinkGetWorkspaceSize(const aclTensor *self, const aclScalar *lambd,
                                                      aclTensor *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftshrink(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
