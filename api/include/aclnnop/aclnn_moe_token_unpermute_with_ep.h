/* SPDX-License-Identifier: Apache-2.0 */
/* What experts made, of which a part is here, summed for each token. */
#ifndef ACLNN_MOE_TOKEN_UNPERMUTE_WITH_EP_H_
#define ACLNN_MOE_TOKEN_UNPERMUTE_WITH_EP_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] is the sum over j < k of probs[i][j] * permutedTokens[n - begin], of n = sortedIndices[i k
 * + j] in [begin, end), in FLOAT from left to right, rounded once. Other n add nothing; one that is
 * not in [0, rows k) is not followed: the stream's error names it.
 *
 * - permutedTokens: FLOAT, FLOAT16 or BF16, (count, columns), count at least end - begin.
 * - sortedIndices: INT32, (rows k).
 * - probsOptional: FLOAT, FLOAT16 or BF16, (rows, k); NULL: 1.
 * - numTopk: k, where probsOptional is NULL and there is a range.
 * - rangeOptional: begin and end, a part of the rows k numbers; NULL: as aclnnMoeTokenUnpermute.
 * - paddedMode: false. restoreShapeOptional: NULL.
 * - out: permutedTokens' type, (rows, columns). */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteWithEpGetWorkspaceSize(
    const aclTensor *permutedTokens, const aclTensor *sortedIndices, const aclTensor *probsOptional,
    int64_t numTopk, const aclIntArray *rangeOptional, bool paddedMode,
    const aclIntArray *restoreShapeOptional, const aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteWithEp(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
