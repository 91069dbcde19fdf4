/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens to the experts that a map says. */
#ifndef ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_H_
#define ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of permuteTokensOut lie expert by expert, those of an expert in the order of its tokens:
 * permuteTokensOut[r] = tokens[t], permuteProbsOutOptional[r] = probs[t][e].
 *
 * dropAndPad false: a token has k = numOutTokens / rows places, rounded down: sortedIndicesOut[t k
 * + j] is the row of its j-th expert, -1 where it has fewer. Rows that are left over are zeros. A
 * token that goes to more than k experts is the stream's error; those beyond are left out.
 *
 * dropAndPad true: an expert has c = numOutTokens / experts rows, rounded down: its tokens, and
 * where they are fewer, the first ones that are not its own. sortedIndicesOut[r] = t.
 *
 * - tokens: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - routingMap: INT8 or BOOL, (rows, experts): not 0 where a token goes to an expert.
 * - probsOptional: NULL, or FLOAT, FLOAT16 or BF16, (rows, experts).
 * - numOutTokens: from 0 to rows experts.
 * - permuteTokensOut: tokens' type, (k rows, columns), or (c experts, columns).
 * - permuteProbsOutOptional: probsOptional's type, as many elements; not written without it.
 * - sortedIndicesOut: INT32, as many elements. */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize(
    const aclTensor *tokens, const aclTensor *routingMap, const aclTensor *probsOptional,
    int64_t numOutTokens, bool dropAndPad, aclTensor *permuteTokensOut,
    aclTensor *permuteProbsOutOptional, aclTensor *sortedIndicesOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteWithRoutingMap(void *workspace, uint64_t workspaceSize,
                                                         aclOpExecutor *executor,
                                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
