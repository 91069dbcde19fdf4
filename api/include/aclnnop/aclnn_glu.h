/* SPDX-License-Identifier: Apache-2.0 */
/* Gated linear unit. */
#ifndef OP_API_INC_GLU_H_
#define OP_API_INC_GLU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With the halves a, b of self along dim: out = a / (1 + exp(-b)), torch.nn.functional.glu.
 *
 * - self: at least one dimension, of an even size along dim. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis; counts from the end if negative.
 * - out: half of self's size along dim. Of any floating type. */
ACLNN_API aclnnStatus aclnnGluGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                               const aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGlu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
