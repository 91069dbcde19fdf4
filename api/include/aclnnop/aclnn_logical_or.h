/* SPDX-License-Identifier: Apache-2.0 */
/* Logical or. */
#ifndef OP_API_INC_LogicalOr_H_
#define OP_API_INC_LogicalOr_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = true where at least one is not 0, as torch.logical_or. A NaN is not 0.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8, BOOL, COMPLEX64 or COMPLEX128.
 * - out: of the broadcast shape; BOOL, or any other type, which gets 1 and 0. */
ACLNN_API aclnnStatus aclnnLogicalOrGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                     aclTensor *out, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogicalOr(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

/* selfRef = 1 or 0 of its type, as aclnnLogicalOr; other broadcasts to selfRef's shape. */
ACLNN_API aclnnStatus aclnnInplaceLogicalOrGetWorkspaceSize(aclTensor *selfRef,
                                                            const aclTensor *other,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceLogicalOr(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
