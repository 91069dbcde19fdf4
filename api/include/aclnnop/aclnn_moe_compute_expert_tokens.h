/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tokens of each expert end. */
#ifndef ACLNN_MOE_COMPUTE_EXPERT_TOKENS_H_
#define ACLNN_MOE_COMPUTE_EXPERT_TOKENS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[e] is how many numbers of sortedExperts are at most e, found by bisection:
 * torch.searchsorted(sortedExperts, arange(numExperts), right=True).
 *
 * - sortedExperts: INT32, (n), rising. Others give some number between 0 and n.
 * - numExperts: greater than 0.
 * - out: INT32, (numExperts). */
ACLNN_API aclnnStatus aclnnMoeComputeExpertTokensGetWorkspaceSize(const aclTensor *sortedExperts,
                                                                  int64_t numExperts,
                                                                  const aclTensor *out,
                                                                  uint64_t *workspaceSize,
                                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeComputeExpertTokens(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
