/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of aclnnMoeTokenPermute. */
#ifndef ACLNN_MOE_TOKEN_PERMUTE_GRAD_H_
#define ACLNN_MOE_TOKEN_PERMUTE_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = sum over j of permutedOutputGrad[sortedIndices[i numTopk + j]]. Summed in FLOAT in the
 * order of the picks, rounded once.
 *
 * - permutedOutputGrad: FLOAT, FLOAT16 or BF16, (n, columns).
 * - sortedIndices: INT32, rows * numTopk elements. Numbers from n on, below rows * numTopk, count
 *   nothing; others that are no row are the stream's error.
 * - numTopk: greater than 0.
 * - paddedMode: must be false.
 * - out: permutedOutputGrad's type, (rows, columns). */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteGradGetWorkspaceSize(
    const aclTensor *permutedOutputGrad, const aclTensor *sortedIndices, int64_t numTopk,
    bool paddedMode, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteGrad(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
