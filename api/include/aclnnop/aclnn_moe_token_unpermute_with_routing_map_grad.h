/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of aclnnMoeTokenUnpermuteWithRoutingMap. */
#ifndef ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_H_
#define ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of places p, with r = outIndex[p] and t = permuteTokenId[p]:
 *     permutedTokensGradOut[r] = unpermutedTokensGrad[t] * probs[t][e]
 *     probsGradOutOptional[t][e] = sum over columns of permutedTokens[r] * unpermutedTokensGrad[t]
 * e is the expert of the place: with dropAndPad r / (count / experts), else the j-th expert of
 * token p / k, j = p % k, k = count / rows. Rows and probabilities without a place have gradients
 * of 0, as has an r of -1. Another number that is not there is not followed: the stream's error
 * names it. In FLOAT, rounded once.
 *
 * - unpermutedTokensGrad: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - outIndex, permuteTokenId: INT32, (count), as the forward function makes them.
 * - routingMapOptional: INT8 or BOOL, (rows, experts); needed with probsOptional unless dropAndPad.
 * - permutedTokensOptional: unpermutedTokensGrad's type, (count, columns); needed with
 *   probsOptional.
 * - probsOptional: FLOAT, FLOAT16 or BF16, (rows, experts); NULL: 1.
 * - restoreShapeOptional: NULL, or rows and columns.
 * - permutedTokensGradOut: unpermutedTokensGrad's type, (count, columns).
 * - probsGradOutOptional: probsOptional's type and shape; not written without it. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteWithRoutingMapGradGetWorkspaceSize(
    const aclTensor *unpermutedTokensGrad, const aclTensor *outIndex,
    const aclTensor *permuteTokenId, const aclTensor *routingMapOptional,
    const aclTensor *permutedTokensOptional, const aclTensor *probsOptional, bool dropAndPad,
    const aclIntArray *restoreShapeOptional, const aclTensor *permutedTokensGradOut,
    const aclTensor *probsGradOutOptional, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteWithRoutingMapGrad(void *workspace,
                                                               uint64_t workspaceSize,
                                                               aclOpExecutor *executor,
                                                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
