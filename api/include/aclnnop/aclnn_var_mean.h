/* SPDX-License-Identifier: Apache-2.0 */
/* Variances and means. */
#ifndef OP_API_INC_VAR_MEAN_H_
#define OP_API_INC_VAR_MEAN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* varOut, meanOut = the variance and the mean of self's elements along some axes, as
 * torch.var_mean.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - correction: what is taken off the number of elements: 1 as a rule.
 * - keepdim: whether the reduced axes stay, with one element.
 * - varOut: of self's shape without the reduced axes; of self's type or one that it can be cast
 *   to.
 * - meanOut: of self's shape without the reduced axes; of self's type or one that it can be cast
 *   to.
 *
 * The mean is made first, then the sum of squares of the distances from it, divided by the number
 * of elements less the correction, or by 0 if that is less than 0: a single element has NaN with
 * correction 1. Half types are computed in FLOAT. */
ACLNN_API aclnnStatus aclnnVarMeanGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim,
                                                   int64_t correction, bool keepdim,
                                                   aclTensor *varOut, aclTensor *meanOut,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnVarMean(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
