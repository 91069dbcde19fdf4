/* SPDX-License-Identifier: Apache-2.0 */
/* Sums with a quotient. */
#ifndef OP_API_INC_ADDCDIV_H_
#define OP_API_INC_ADDCDIV_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self + value * tensor1 / tensor2, as torch.addcdiv.
 *
 * - self, tensor1, tensor2: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - value: a scalar; it has no say in the promoted type.
 * - out: of the broadcast shape.
 *
 * The product of value and tensor1 is divided. Integers are refused, as PyTorch refuses them. */
ACLNN_API aclnnStatus aclnnAddcdivGetWorkspaceSize(const aclTensor *self, const aclTensor *tensor1,
                                                   const aclTensor *tensor2, const aclScalar *value,
                                                   const aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddcdiv(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

/* selfRef = selfRef + value * tensor1 / tensor2, as aclnnAddcdiv; the others broadcast to
 * selfRef's
 * shape. */
ACLNN_API aclnnStatus aclnnInplaceAddcdivGetWorkspaceSize(
    const aclTensor *selfRef, const aclTensor *tensor1, const aclTensor *tensor2,
    const aclScalar *value, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAddcdiv(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
