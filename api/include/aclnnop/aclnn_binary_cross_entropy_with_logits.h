/* SPDX-License-Identifier: Apache-2.0 */
/* Cross entropy of two classes from logits. */
#ifndef OP_API_INC_BINARY_CROSS_ENTROPY_WITH_LOGITS_H_
#define OP_API_INC_BINARY_CROSS_ENTROPY_WITH_LOGITS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = weight (posWeight target log(1 + exp(-self)) + (1 - target) log(1 + exp(self))), its mean
 * or its sum: torch.nn.functional.binary_cross_entropy_with_logits. Nothing overflows or cancels
 * on the way. Each loss is rounded to FLOAT (DOUBLE of doubles) and they are added in double. The
 * mean of no elements is NaN, their sum 0. A mean divides by the number of elements, whatever the
 * weights.
 *
 * - self, target: of one shape: logits and probabilities. FLOAT, FLOAT16, BF16 or DOUBLE; all
 *   operands promote.
 * - weightOptional, posWeightOptional: broadcast to it. NULL: 1.
 * - reduction: 0 (none), 1 (mean), 2 (sum).
 * - out: of self's shape; of a mean and a sum one element, with or without a dimension. Of any
 *   floating type. */
ACLNN_API aclnnStatus aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(
    const aclTensor *self, const aclTensor *target, const aclTensor *weightOptional,
    const aclTensor *posWeightOptional, int64_t reduction, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBinaryCrossEntropyWithLogits(void *workspace, uint64_t workspaceSize,
                                                        aclOpExecutor *executor,
                                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
