/* SPDX-License-Identifier: Apache-2.0 */
/* Logical xor. */
#ifndef OP_API_INC_LogicalXor_H_
#define OP_API_INC_LogicalXor_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = true where exactly one is not 0, as torch.logical_xor. A NaN is not 0.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8, BOOL, COMPLEX64 or COMPLEX128.
 * - out: of the broadcast shape; BOOL, or any other type, which gets 1 and 0. */
ACLNN_API aclnnStatus aclnnLogicalXorGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                      aclTensor *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogicalXor(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
