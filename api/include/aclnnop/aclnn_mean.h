/* SPDX-License-Identifier: Apache-2.0 */
/* Means. */
#ifndef OP_API_INC_MEAN_H_
#define OP_API_INC_MEAN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the mean of self's elements along some axes, as torch.mean.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128, and then dtype is one of these two.
 * - dim: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepDim: whether the reduced axes stay, with one element.
 * - dtype: the floating type in which the mean is made; ACL_DT_UNDEFINED: self's, FLOAT for
 *   integers.
 * - out: of self's shape without the reduced axes; of dtype or one that it can be cast to.
 *
 * The mean of nothing is NaN. Half types are added in FLOAT. */
ACLNN_API aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim,
                                                bool keepDim, aclDataType dtype, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMean(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* The same, in self's type.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepDim: whether the reduced axes stay, with one element.
 * - noopWithEmptyAxes: an empty dim means no axis: self is copied.
 * - out: of self's shape without the reduced axes; of self's type or one that it can be cast to. */
ACLNN_API aclnnStatus aclnnMeanV2GetWorkspaceSize(const aclTensor *self, const aclIntArray *dim,
                                                  bool keepDim, bool noopWithEmptyAxes,
                                                  aclTensor *out, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMeanV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
