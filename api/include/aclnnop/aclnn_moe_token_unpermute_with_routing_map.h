/* SPDX-License-Identifier: Apache-2.0 */
/* What the experts of a map made, summed for each token. */
#ifndef ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_H_
#define ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The inverse of aclnnMoeTokenPermuteWithRoutingMap, in FLOAT from left to right, rounded once.
 *
 * paddedMode false: a token has k = count / rows places, and place t k + j the probability of its
 * j-th expert, 0 where it has fewer: unpermutedTokens[t] = sum over j of permuteProbs[t k + j] *
 * permutedTokens[sortedIndices[t k + j]], without places of -1. outIndex is sortedIndices, and
 * permuteTokenId[t k + j] = t. A token of more than k experts is the stream's error.
 *
 * paddedMode true: row r is of expert e = r / (count / experts), and of token sortedIndices[r],
 * with permuteProbs[r] = probs[token][e]: its product is added to the token's. permuteTokenId are
 * the sorted sortedIndices and outIndex where they were, stably.
 *
 * A number that is not there is not followed: the stream's error names it.
 *
 * - permutedTokens: FLOAT, FLOAT16 or BF16, (count, columns).
 * - sortedIndices: INT32, (count).
 * - routingMapOptional: INT8 or BOOL, (rows, experts); needed with probsOptional unless padded.
 * - probsOptional: FLOAT, FLOAT16 or BF16, (rows, experts); NULL: 1.
 * - restoreShapeOptional: NULL, or rows and columns.
 * - unpermutedTokens: permutedTokens' type, (rows, columns).
 * - outIndex, permuteTokenId: INT32, (count).
 * - permuteProbs: probsOptional's type, (count); not written without it. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteWithRoutingMapGetWorkspaceSize(
    const aclTensor *permutedTokens, const aclTensor *sortedIndices,
    const aclTensor *routingMapOptional, const aclTensor *probsOptional, bool paddedMode,
    const aclIntArray *restoreShapeOptional, aclTensor *unpermutedTokens, aclTensor *outIndex,
    aclTensor *permuteTokenId, aclTensor *permuteProbs, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteWithRoutingMap(void *workspace, uint64_t workspaceSize,
                                                           aclOpExecutor *executor,
                                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
