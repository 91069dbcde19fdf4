/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of aclnnMoeTokenUnpermute. */
#ifndef ACLNN_MOE_TOKEN_UNPERMUTE_GRAD_H_
#define ACLNN_MOE_TOKEN_UNPERMUTE_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* permutedTokensGradOut[sortedIndices[p]] = unpermutedTokensGrad[p / k] probs[p], zeros in rows
 * that no index names; probsGradOut[p] = sum over columns of unpermutedTokensGrad[p / k]
 * permutedTokens[sortedIndices[p]]. Computed in FLOAT, rounded once.
 *
 * - permutedTokens: FLOAT, FLOAT16 or BF16, (n, columns).
 * - unpermutedTokensGrad: the same type, (rows, columns).
 * - sortedIndices: INT32, rows * k elements, each row named once (of several the last one counts).
 *   Numbers from n on, below rows * k, count nothing; others that are no row are the stream's
 *   error.
 * - probsOptional: NULL for 1, and k is 1, or FLOAT, FLOAT16 or BF16, (rows, k).
 * - paddedMode: must be false. restoreShapeOptional: must be NULL.
 * - permutedTokensGradOut: permutedTokens' type and shape.
 * - probsGradOut: probsOptional's type and shape; not written, and may be NULL, where that is
 *   NULL. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteGradGetWorkspaceSize(
    const aclTensor *permutedTokens, const aclTensor *unpermutedTokensGrad,
    const aclTensor *sortedIndices, const aclTensor *probsOptional, bool paddedMode,
    const aclIntArray *restoreShapeOptional, const aclTensor *permutedTokensGradOut,
    const aclTensor *probsGradOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteGrad(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
