/* SPDX-License-Identifier: Apache-2.0 */
/* Cross entropy of two classes. */
#ifndef OP_API_INC_BINARY_CROSS_ENTROPY_H_
#define OP_API_INC_BINARY_CROSS_ENTROPY_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = -weight (target log(self) + (1 - target) log(1 - self)), its mean or its sum, where
 * logarithms below -100 count as -100: torch.nn.functional.binary_cross_entropy. Each loss is
 * rounded to FLOAT (DOUBLE of doubles) and they are added in double. The mean of no elements is
 * NaN, their sum 0. A mean divides by the number of elements, whatever the weights.
 *
 * - self, target: of one shape. Probabilities; of numbers outside of 0 to 1 the result is NaN.
 *   FLOAT, FLOAT16, BF16 or DOUBLE; all operands promote.
 * - weight: broadcasts to it. NULL: 1.
 * - reduction: 0 (none), 1 (mean), 2 (sum).
 * - out: of self's shape; of a mean and a sum one element, with or without a dimension. Of any
 *   floating type. */
ACLNN_API aclnnStatus aclnnBinaryCrossEntropyGetWorkspaceSize(
    const aclTensor *self, const aclTensor *target, const aclTensor *weight, int64_t reduction,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBinaryCrossEntropy(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
