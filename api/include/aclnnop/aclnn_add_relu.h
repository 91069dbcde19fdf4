/* SPDX-License-Identifier: Apache-2.0 */
/* A sum, and 0 where it is negative. */
#ifndef OP_API_INC_ADD_RELU_H_
#define OP_API_INC_ADD_RELU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = relu(self + alpha other). The sum is rounded, or wraps, as aclnnAdd's does.
 *
 * - self, other: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8, each its own:
 *   they promote; shapes that broadcast.
 * - alpha: of a type that can be cast to the promoted one.
 * - out: of the broadcast shape, of the promoted type or one that it can be cast to. */
ACLNN_API aclnnStatus aclnnAddReluGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                   aclScalar *alpha, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddRelu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

/* selfRef = relu(selfRef + alpha other), as aclnnAddRelu. */
ACLNN_API aclnnStatus aclnnInplaceAddReluGetWorkspaceSize(aclTensor *selfRef,
                                                          const aclTensor *other, aclScalar *alpha,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAddRelu(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
