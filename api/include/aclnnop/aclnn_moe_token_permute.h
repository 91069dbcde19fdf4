/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens in the order of their experts. */
#ifndef ACLNN_MOE_TOKEN_PERMUTE_H_
#define ACLNN_MOE_TOKEN_PERMUTE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The elements of indices, rows * k of them, are sorted stably; row i of permuteTokensOut is the
 * token of the i-th: tokens[position / k]. sortedIndicesOut[position] = i.
 *
 * - tokens: FLOAT, FLOAT16, BF16 or INT8, (rows, columns).
 * - indices: INT32 or INT64, (rows) or (rows, k), any numbers.
 * - numOutTokens: rows of permuteTokensOut: 0 all, n > 0 the first n, n < 0 all but the last -n.
 * - paddedMode: must be false.
 * - permuteTokensOut: tokens' type, that many rows.
 * - sortedIndicesOut: INT32, (rows * k). */
ACLNN_API aclnnStatus aclnnMoeTokenPermuteGetWorkspaceSize(
    const aclTensor *tokens, const aclTensor *indices, int64_t numOutTokens, bool paddedMode,
    const aclTensor *permuteTokensOut, const aclTensor *sortedIndicesOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeTokenPermute(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
