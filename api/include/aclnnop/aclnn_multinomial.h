/* SPDX-License-Identifier: Apache-2.0 */
/* Draws from weights. */
#ifndef OP_API_INC_LEVEL2_ACLNN_MULTINOMIAL_H_
#define OP_API_INC_LEVEL2_ACLNN_MULTINOMIAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = places drawn from each row of self, with probabilities as its weights, as
 * torch.multinomial.
 *
 * - self: 1 or 2 dimensions, any strides; weights, finite and not negative, of each row not all 0,
 *   and with replacement of a finite sum. A row of others is an error of the stream
 *   (ACL_ERROR_RT_AICORE_EXCEPTION, with the operator, the row and the weight, at its next
 *   synchronise), and some places of it are drawn; other rows are right. FLOAT, FLOAT16, BF16 or
 *   DOUBLE.
 * - numsamples: draws from each row; without replacement at most the row's size.
 * - replacement: a place may be drawn again. Without it, places of weight 0 come last.
 * - out: shape of self, numsamples in place of the last size. INT64.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnMultinomialGetWorkspaceSize(const aclTensor *self, int64_t numsamples,
                                                       bool replacement, int64_t seed,
                                                       int64_t offset, aclTensor *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMultinomial(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

/* The same as aclnnMultinomial, with the seed from memory.
 *
 * - seedTensor, offsetTensor: one element of INT64 or UINT64 each, read when the stream comes
 *   here: the seed, and what is added to offset. */
ACLNN_API aclnnStatus aclnnMultinomialTensorGetWorkspaceSize(
    const aclTensor *self, int64_t numsamples, bool replacement, const aclTensor *seedTensor,
    const aclTensor *offsetTensor, int64_t offset, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMultinomialTensor(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
