/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the cross entropy of two classes from logits by the probabilities. */
#ifndef OP_API_INC_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET_BACKEARD_H_
#define OP_API_INC_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET_BACKEARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradTarget = gradOutput weight (posWeight log(1 + exp(-self)) - log(1 + exp(self))) / n, the
 * gradient of torch.nn.functional.binary_cross_entropy_with_logits by target; n is the number of
 * elements where reduction is 1, else 1.
 *
 * - self, target: of one shape; target's elements are not read. FLOAT, FLOAT16, BF16 or DOUBLE;
 *   all operands promote.
 * - gradOutput, weightOptional, posWeightOptional: broadcast to it. A weight of NULL: 1.
 * - reduction: 0 (none), 1 (mean), 2 (sum) of the forward function.
 * - gradTarget: of self's shape. Of any floating type. */
ACLNN_API aclnnStatus aclnnBinaryCrossEntropyWithLogitsTargetBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target,
    const aclTensor *weightOptional, const aclTensor *posWeightOptional, int64_t reduction,
    aclTensor *gradTarget, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBinaryCrossEntropyWithLogitsTargetBackward(void *workspace,
                                                                      uint64_t workspaceSize,
                                                                      aclOpExecutor *executor,
                                                                      aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
