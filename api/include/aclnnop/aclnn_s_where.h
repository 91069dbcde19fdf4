/* SPDX-License-Identifier: Apache-2.0 */
/* A choice of two by a condition. */
#ifndef OP_API_INC_SWHERE_H_
#define OP_API_INC_SWHERE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self where condition is not 0, other elsewhere, as torch.where.
 *
 * - condition: BOOL or UINT8.
 * - self, other: promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
 *   COMPLEX64 or COMPLEX128.
 * - out: of the shape that all three broadcast to. */
ACLNN_API aclnnStatus aclnnSWhereGetWorkspaceSize(const aclTensor *condition, const aclTensor *self,
                                                  const aclTensor *other, aclTensor *out,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSWhere(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
