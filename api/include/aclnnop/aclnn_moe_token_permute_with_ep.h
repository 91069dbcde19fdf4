/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of their experts, of which a part is here. */
#ifndef ACLNN_MOE_TOKEN_PERMUTE_WITH_EP_H_
#define ACLNN_MOE_TOKEN_PERMUTE_WITH_EP_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Positions i k + j of indices are sorted, stably: sortedIndicesOut[position] is its number n among
 * them. Where n is in [begin, end), the position's token is row n - begin of permuteTokensOut, and
 * its probability element n - begin of permuteProbsOut.
 *
 * - tokens: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - indices: INT32 or INT64, (rows, k) or (rows).
 * - probsOptional: NULL, or FLOAT, FLOAT16 or BF16, indices' shape; not read without a range.
 * - rangeOptional: begin and end, a part of the rows k numbers; NULL: as aclnnMoeTokenPermute.
 * - numOutTokens: without a range, how many rows permuteTokensOut has: 0 all, a negative number as
 *   many less.
 * - paddedMode: false.
 * - permuteTokensOut: tokens' type, (end - begin, columns).
 * - sortedIndicesOut: INT32, (rows k).
 * - permuteProbsOut: probsOptional's type, (end - begin); not written without it. */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteWithEpGetWorkspaceSize(
    const aclTensor *tokens, const aclTensor *indices, const aclTensor *probsOptional,
    const aclIntArray *rangeOptional, int64_t numOutTokens, bool paddedMode,
    const aclTensor *permuteTokensOut, const aclTensor *sortedIndicesOut,
    const aclTensor *permuteProbsOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteWithEp(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
