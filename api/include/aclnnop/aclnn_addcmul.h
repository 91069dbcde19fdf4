/* SPDX-License-Identifier: Apache-2.0 */
/* Products added to a tensor. */
#ifndef OP_API_INC_ADD_CMUL_H_
#define OP_API_INC_ADD_CMUL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self + value * tensor1 * tensor2, as torch.addcmul.
 *
 * - self, tensor1, tensor2: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8 or BOOL.
 * - value: a scalar of any type; it has no say in the result's type.
 * - out: of the broadcast shape.
 *
 * Half types are computed in FLOAT and rounded once. */
ACLNN_API aclnnStatus aclnnAddcmulGetWorkspaceSize(const aclTensor *self, const aclTensor *tensor1,
                                                   const aclTensor *tensor2, const aclScalar *value,
                                                   aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddcmul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

/* selfRef = selfRef + value * tensor1 * tensor2, as aclnnAddcmul; the others broadcast to
 * selfRef's
 * shape. */
ACLNN_API aclnnStatus aclnnInplaceAddcmulGetWorkspaceSize(
    const aclTensor *selfRef, const aclTensor *tensor1, const aclTensor *tensor2,
    const aclScalar *value, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAddcmul(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
