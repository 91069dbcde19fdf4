/* SPDX-License-Identifier: Apache-2.0 */
/* What experts made, back in the order of the tokens. */
#ifndef ACLNN_MOE_TOKEN_UNPERMUTE_H_
#define ACLNN_MOE_TOKEN_UNPERMUTE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = sum over j of probs[i][j] permutedTokens[sortedIndices[i k + j]]. Summed in FLOAT in
 * the order of the picks, rounded once.
 *
 * - permutedTokens: FLOAT, FLOAT16 or BF16, (n, columns).
 * - sortedIndices: INT32, rows * k elements. Numbers from n on, below rows * k, count nothing;
 *   others that are no row are the stream's error.
 * - probsOptional: NULL for 1, and k is 1, or FLOAT, FLOAT16 or BF16, (rows, k).
 * - paddedMode: must be false. restoreShapeOptional: must be NULL.
 * - out: permutedTokens' type, (rows, columns). */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteGetWorkspaceSize(
    const aclTensor *permutedTokens, const aclTensor *sortedIndices, const aclTensor *probsOptional,
    bool paddedMode, const aclIntArray *restoreShapeOptional, const aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermute(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
