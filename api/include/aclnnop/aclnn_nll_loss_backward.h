/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of aclnnNLLLoss. */
#ifndef OP_API_INC_NLL_LOSS_BACKWARD_H_
#define OP_API_INC_NLL_LOSS_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[n, target[n]] = -weight[target[n]] gradOutput[n], divided by totalWeight if reduction is 1;
 * all other elements are 0, and all of n where target[n] is ignoreIndex.
 *
 * - gradOutput: (N), or one element if reduction is 0, else one element; FLOAT, FLOAT16, BF16 or
 *   DOUBLE.
 * - self: (N, C), or (C); of which only the shape matters.
 * - target: classes, INT64, INT32 or UINT8; (N), or one element.
 * - weight: (C), of any of these types; NULL: 1 for every class.
 * - reduction: 0: none, 1: mean, 2: sum, as in the forward pass.
 * - ignoreIndex: the class that does not count.
 * - totalWeight: one element: what the forward pass gave.
 * - out: of self's shape, of any of these types.
 *
 * A target that is neither a class nor ignoreIndex is not followed: it counts as ignored, and the
 * stream's error is ACL_ERROR_RT_AICORE_EXCEPTION, whose text has its position and value. */
ACLNN_API aclnnStatus aclnnNLLLossBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target,
    const aclTensor *weight, int64_t reduction, int64_t ignoreIndex, const aclTensor *totalWeight,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNLLLossBackward(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
