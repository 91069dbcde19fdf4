/* SPDX-License-Identifier: Apache-2.0 */
/* Products. */
#ifndef OP_API_INC_LEVEL2_ACLNN_MUL_H_
#define OP_API_INC_LEVEL2_ACLNN_MUL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self * other, as torch.mul.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8, BOOL, COMPLEX64 or COMPLEX128.
 * - out: of the broadcast shape; of the promoted type, or one that it can be cast to: the product
 *   is
 *   rounded to the promoted type first.
 *
 * Half types are computed in FLOAT. Integers wrap. The product of two BOOLs is true if both are. */
ACLNN_API aclnnStatus aclnnMulGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                               aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

/* out = self * other with a scalar other, as aclnnMul. other counts for the promoted type by its
 * kind
 * alone: a floating scalar makes integers FLOAT, an integer makes BOOL INT64. */
ACLNN_API aclnnStatus aclnnMulsGetWorkspaceSize(const aclTensor *self, const aclScalar *other,
                                                aclTensor *out, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMuls(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* selfRef = selfRef * other, as aclnnMul; other broadcasts to selfRef's shape, and the promoted
 * type
 * must be one that can be cast to selfRef's. */
ACLNN_API aclnnStatus aclnnInplaceMulGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceMul(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

/* selfRef = selfRef * other with a scalar other, as aclnnMuls. */
ACLNN_API aclnnStatus aclnnInplaceMulsGetWorkspaceSize(aclTensor *selfRef, const aclScalar *other,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceMuls(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
