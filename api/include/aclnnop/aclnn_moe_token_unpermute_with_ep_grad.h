/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of aclnnMoeTokenUnpermuteWithEp. */
#ifndef ACLNN_MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_H_
#define ACLNN_MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of positions p = i k + j, and r = sortedIndices[p] - begin:
 *     permutedTokensGradOut[r] = unpermutedTokensGrad[i] * probs[i][j]
 *     probsGradOut[i][j] = sum over columns of permutedTokens[r] * unpermutedTokensGrad[i]
 * where sortedIndices[p] is in [begin, end): other rows, and gradients of other positions, are 0. A
 * number that is not in [0, rows k) is not followed: the stream's error names it.
 *
 * - unpermutedTokensGrad: FLOAT, FLOAT16 or BF16, (rows, columns).
 * - sortedIndices: INT32, (rows k).
 * - permutedTokensOptional: permutedTokensGradOut's shape and type; needed with probsOptional.
 * - probsOptional: FLOAT, FLOAT16 or BF16, (rows, k); NULL: 1.
 * - paddedMode: false. restoreShapeOptional: NULL.
 * - rangeOptional: begin and end, a part of the rows k numbers; NULL: all of them.
 * - topkNum: k, where probsOptional is NULL.
 * - permutedTokensGradOut: unpermutedTokensGrad's type, (count, columns), count at least end -
 * begin.
 * - probsGradOut: probsOptional's type and shape; not written without it. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteWithEpGradGetWorkspaceSize(
    const aclTensor *unpermutedTokensGrad, const aclTensor *sortedIndices,
    const aclTensor *permutedTokensOptional, const aclTensor *probsOptional, bool paddedMode,
    const aclIntArray *restoreShapeOptional, const aclIntArray *rangeOptional, int64_t topkNum,
    const aclTensor *permutedTokensGradOut, const aclTensor *probsGradOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenUnpermuteWithEpGrad(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
