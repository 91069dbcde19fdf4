/* SPDX-License-Identifier: Apache-2.0 */
/* The loss of negative logarithms of likelihoods. */
#ifndef OP_API_INC_NLL_LOSS_H_
#define OP_API_INC_NLL_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* loss[n] = -weight[target[n]] self[n, target[n]], as torch.nn.functional.nll_loss. Where
 * target[n] is ignoreIndex, loss[n] is 0 and its weight too.
 *
 * - self: the logarithms, (N, C), or (C); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - target: classes, INT64, INT32 or UINT8; (N), or one element.
 * - weight: (C), of any of self's types; NULL: 1 for every class.
 * - reduction: 0: out has every loss; 1: their sum divided by the sum of the weights of all
 *   targets; 2: their sum.
 * - ignoreIndex: the class that does not count; it need not be one.
 * - out: of target's shape, or of one element where reduction is not 0.
 * - totalWeightOut: one element: the sum of the weights of all targets; 0 if reduction is 0.
 *
 * A target that is neither a class nor ignoreIndex is not followed: it counts as ignored, and the
 * stream's error is ACL_ERROR_RT_AICORE_EXCEPTION, whose text has its position and value. Sums are
 * made in double. The mean of nothing is NaN. */
ACLNN_API aclnnStatus aclnnNLLLossGetWorkspaceSize(const aclTensor *self, const aclTensor *target,
                                                   const aclTensor *weight, int64_t reduction,
                                                   int64_t ignoreIndex, aclTensor *out,
                                                   aclTensor *totalWeightOut,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNLLLoss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
