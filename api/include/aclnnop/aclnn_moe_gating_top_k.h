/* SPDX-License-Identifier: Apache-2.0 */
/* The experts that each token goes to, chosen among the best groups. */
#ifndef OP_API_INC_MOE_GATING_TOP_K_H_
#define OP_API_INC_MOE_GATING_TOP_K_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* p = sigmoid(x) or softmax(x) along the last axis; s = p + bias. Of groupCount groups of
 * neighbours the kGroup best are kept, of their experts the k of largest s: the largest first, of
 * equal ones the one of lower number first; a NaN is larger than all. yOut = p routedScalingFactor
 * of them; of a sigmoid p / (sum of the k + eps) routedScalingFactor. Computed in FLOAT.
 *
 * - x: FLOAT, FLOAT16 or BF16, (..., experts), rank 1 to 8, any strides, at most 2048 experts.
 * - biasOptional: NULL for 0, or FLOAT, FLOAT16 or BF16, (experts).
 * - k: 1 to the experts of kGroup groups, at most 1024.
 * - kGroup, groupCount: groupCount divides the experts; kGroup is between 1 and groupCount, at
 *   most 1024.
 * - groupSelectMode: groups are compared by 0 their largest s, 1 the sum of their two largest.
 * - renorm: must be 0.
 * - normType: 0 softmax, 1 sigmoid.
 * - outFlag: whether outOut is written.
 * - yOut: x's type, (..., k).
 * - expertIdxOut: INT32, (..., k).
 * - outOut: NULL, or FLOAT of x's shape: p. */
ACLNN_API aclnnStatus aclnnMoeGatingTopKGetWorkspaceSize(
    const aclTensor *x, const aclTensor *biasOptional, int64_t k, int64_t kGroup,
    int64_t groupCount, int64_t groupSelectMode, int64_t renorm, int64_t normType, bool outFlag,
    double routedScalingFactor, double eps, const aclTensor *yOut, const aclTensor *expertIdxOut,
    const aclTensor *outOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeGatingTopK(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
