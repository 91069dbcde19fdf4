/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two tensors are equal. */
#ifndef OP_API_INC_TENSOREQUAL_H_
#define OP_API_INC_TENSOREQUAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = true if self and other have one shape and all their elements are equal, as torch.equal,
 * false
 * otherwise. Tensors of different shapes are unequal, empty ones of one shape equal; a NaN equals
 * nothing,
 * itself included.
 *
 * - self, other: compared in the type that they promote to. FLOAT, FLOAT16, BF16, DOUBLE, INT8,
 *   INT16, INT32, INT64, UINT8 or BOOL.
 * - out: one element of BOOL. */
ACLNN_API aclnnStatus aclnnEqualGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                 aclTensor *out, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEqual(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
