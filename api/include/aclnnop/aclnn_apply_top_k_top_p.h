/* SPDX-License-Identifier: Apache-2.0 */
/* Logits of which the likely ones are kept. */
#ifndef OP_API_INC_APPLY_TOP_K_TOP_P_H_
#define OP_API_INC_APPLY_TOP_K_TOP_P_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = logits, where what is not likely enough is -infinity; each row is filtered by k, then what
 * is left by p.
 *
 * - logits: (rows, n); FLOAT, FLOAT16 or BF16.
 * - p: (rows), of logits' type, or NULL. From the least on, values are left out as long as their
 *   probabilities (softmax of what k leaves) add up to no more than 1 - p; the largest one is kept.
 *   Of equal ones the first in the row counts as the least.
 * - k: (rows), INT32, or NULL. What is less than the k-th largest value is left out; a k of 0 or
 *   less, or of n or more, leaves out nothing. p and k must not both be NULL.
 * - out: of logits' type and shape; may be logits.
 *
 * Probabilities and their sums are in double. */
ACLNN_API aclnnStatus aclnnApplyTopKTopPGetWorkspaceSize(const aclTensor *logits,
                                                         const aclTensor *p, const aclTensor *k,
                                                         aclTensor *out, uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnApplyTopKTopP(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
