/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of aclnnMoeTokenPermuteWithRoutingMap. */
#ifndef ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_H_
#define ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tokensGradOut[t] is the sum of the rows of permutedTokenOutputGrad that token t was copied to: of
 * sortedIndices[t k + j] that are not -1, or with dropAndPad of those r with sortedIndices[r] = t,
 * in that order, in FLOAT, rounded once. probsGradOutOptional[t][e] is the element of
 * permutedProbsOutputGradOptional for the row of token t and expert e, 0 where there is none. A
 * number that is not there is not followed: the stream's error names it.
 *
 * - permutedTokenOutputGrad: FLOAT, FLOAT16 or BF16, (count, columns); count is k tokensNum, or
 * with dropAndPad c numExperts.
 * - permutedProbsOutputGradOptional: NULL, or FLOAT, FLOAT16 or BF16, (count).
 * - sortedIndices: INT32, (count).
 * - routingMapOptional: INT8 or BOOL, (tokensNum, numExperts); needed for probabilities without
 *   dropAndPad, and not read else.
 * - tokensGradOut: permutedTokenOutputGrad's type, (tokensNum, columns).
 * - probsGradOutOptional: permutedProbsOutputGradOptional's type, (tokensNum, numExperts); not
 *   written without it. */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGradGetWorkspaceSize(
    const aclTensor *permutedTokenOutputGrad, const aclTensor *permutedProbsOutputGradOptional,
    const aclTensor *sortedIndices, const aclTensor *routingMapOptional, int64_t numExperts,
    int64_t tokensNum, bool dropAndPad, aclTensor *tokensGradOut, aclTensor *probsGradOutOptional,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGrad(void *workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor *executor,
                                                             aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
