/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of sums of exponentials. */
#ifndef OP_API_INC_LOGSUMEXP_H_
#define OP_API_INC_LOGSUMEXP_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log(sum(exp(self))) along some axes, as torch.logsumexp. The largest element is taken off
 * first: nothing overflows.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL; integers as
 *   FLOAT.
 * - dim: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepDim: whether the reduced axes stay, with one element.
 * - out: of self's shape without the reduced axes; of self's type or one that it can be cast to.
 *
 * Of nothing it is -infinity. */
ACLNN_API aclnnStatus aclnnLogSumExpGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim,
                                                     bool keepDim, aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogSumExp(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
