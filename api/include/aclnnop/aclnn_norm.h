/* SPDX-License-Identifier: Apache-2.0 */
/* Norms. */
#ifndef OP_API_INC_NORM_H_
#define OP_API_INC_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the p-norm of self's elements along some axes, as torch.norm.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - pScalar: p.
 * - dim: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepdim: whether the reduced axes stay, with one element.
 * - out: of self's shape without the reduced axes; of self's type or one that it can be cast to.
 *
 * p = 0 counts the elements that are not 0; infinity is the largest size, -infinity the smallest;
 * other p are sum(|x|^p)^(1/p). The norm of nothing is 0; with an infinite p it is refused.
 * Squares are not scaled: they overflow as torch's do. */
ACLNN_API aclnnStatus aclnnNormGetWorkspaceSize(const aclTensor *self, const aclScalar *pScalar,
                                                const aclIntArray *dim, bool keepdim,
                                                aclTensor *out, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNorm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
