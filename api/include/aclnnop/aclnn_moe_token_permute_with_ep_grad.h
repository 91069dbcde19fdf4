/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of aclnnMoeTokenPermuteWithEp. */
#ifndef ACLNN_MOE_TOKEN_PERMUTE_WITH_EP_GRAD_H_
#define ACLNN_MOE_TOKEN_PERMUTE_WITH_EP_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tokenGradOut[i] is the sum over j < numTopk of row n - begin of permutedTokensOutputGrad, of
 * n = sortedIndices[i numTopk + j] in [begin, end), in FLOAT from left to right, rounded once;
 * probsGradOut[i][j] is element n - begin of permutedProbsOutputGradOptional, 0 of other n. An n
 * that is not in [0, rows numTopk) is not followed: the stream's error names it.
 *
 * - permutedTokensOutputGrad: FLOAT, FLOAT16 or BF16, (count, columns), count at least end - begin.
 * - sortedIndices: INT32, (rows numTopk).
 * - permutedProbsOutputGradOptional: NULL, or FLOAT, FLOAT16 or BF16, at least end - begin
 * elements; not read without a range.
 * - numTopk: at least 1; divides sortedIndices' elements.
 * - rangeOptional: begin and end, a part of the rows numTopk numbers; NULL: as
 *   aclnnMoeTokenPermuteGrad.
 * - paddedMode: false.
 * - tokenGradOut: permutedTokensOutputGrad's type, (rows, columns).
 * - probsGradOut: permutedProbsOutputGradOptional's type, (rows, numTopk); not written without it.
 */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteWithEpGradGetWorkspaceSize(
    const aclTensor *permutedTokensOutputGrad, const aclTensor *sortedIndices,
    const aclTensor *permutedProbsOutputGradOptional, int64_t numTopk,
    const aclIntArray *rangeOptional, bool paddedMode, const aclTensor *tokenGradOut,
    const aclTensor *probsGradOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteWithEpGrad(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
