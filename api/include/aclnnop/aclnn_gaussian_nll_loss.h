/* SPDX-License-Identifier: Apache-2.0 */
/* Negative log likelihoods of normal distributions. */
#ifndef OP_API_INC_GAUSSIAN_NLL_LOSS_H_
#define OP_API_INC_GAUSSIAN_NLL_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = (log(v) + (input - target)^2 / v) / 2, v = max(var, eps), and log(2 pi) / 2 more where
 * full is true; each for itself, their mean or their sum: torch.nn.functional.gaussian_nll_loss.
 * Half types are computed in FLOAT, sums in double, and rounded once.
 *
 * - input: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - target: of its shape, or with sizes of 1.
 * - var: the same, or without the last size, or one element. The types promote.
 * - eps: greater than 0.
 * - reductionOptional: "none", "mean" or "sum"; NULL is "mean".
 * - out: of input's shape, or one element. */
ACLNN_API aclnnStatus aclnnGaussianNllLossGetWorkspaceSize(
    const aclTensor *input, const aclTensor *target, const aclTensor *var, bool full, double eps,
    char *reductionOptional, const aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGaussianNllLoss(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
