/* SPDX-License-Identifier: Apache-2.0 */
/* Sums. */
#ifndef OP_API_INC_ADD_H_
#define OP_API_INC_ADD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self + alpha * other, as torch.add.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8, BOOL, COMPLEX64 or COMPLEX128.
 * - alpha: a scalar of any type; it has no say in the result's type. It is converted to the
 *   promoted type, and must be of no higher kind.
 * - out: of the broadcast shape.
 *
 * Half types are added in FLOAT and rounded once. Integers wrap. The sum of two BOOLs is true if
 * one is. */
ACLNN_API aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                               const aclScalar *alpha, aclTensor *out,
                                               uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAdd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

/* selfRef = selfRef + alpha * other, as aclnnAdd; other broadcasts to selfRef's shape, and the
 * promoted type must be one that can be cast to selfRef's. */
ACLNN_API aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor *selfRef,
                                                      const aclTensor *other,
                                                      const aclScalar *alpha,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAdd(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

/* out = self + alpha * other with a scalar other, as aclnnAdd. other counts for the promoted type
 * by its kind alone: a floating scalar makes integers FLOAT, an integer makes BOOL INT64. */
ACLNN_API aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor *self, const aclScalar *other,
                                                const aclScalar *alpha, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAdds(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* selfRef = selfRef + alpha * other with a scalar other, as aclnnAdds. */
ACLNN_API aclnnStatus aclnnInplaceAddsGetWorkspaceSize(const aclTensor *selfRef,
                                                       const aclScalar *other,
                                                       const aclScalar *alpha,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAdds(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
