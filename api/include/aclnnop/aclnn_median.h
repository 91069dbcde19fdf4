/* SPDX-License-Identifier: Apache-2.0 */
/* Medians. */
#ifndef OP_API_INC_MEDIAN_H_
#define OP_API_INC_MEDIAN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* valuesOut = the median of all elements of self, as torch.median.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - valuesOut: without dimensions, or with one of one element; of self's type or one that it can
 *   be cast to.
 *
 * Of an even number of elements the lower of the two in the middle. If there is a NaN, it is the
 * median. The median of nothing is NaN; of integers it is refused. */
ACLNN_API aclnnStatus aclnnMedianGetWorkspaceSize(const aclTensor *self, aclTensor *valuesOut,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMedian(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

/* valuesOut, indicesOut = torch.median(self, dim, keepDim).
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - dim: the axis, from -rank to rank - 1.
 * - keepDim: whether the axis stays, with one element.
 * - valuesOut: self's shape without the axis; of self's type or one that it can be cast to.
 * - indicesOut: of the same shape; INT64 or INT32: the place of the first element with that value.
 *
 * Of an even number of elements the lower of the two in the middle. If there is a NaN, it is the
 * median. An axis without elements is refused. */
ACLNN_API aclnnStatus aclnnMedianDimGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                     bool keepDim, aclTensor *valuesOut,
                                                     aclTensor *indicesOut, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMedianDim(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

/* valuesOut = the median of all elements of self, as torch.nanmedian.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - out: without dimensions, or with one of one element; of self's type or one that it can be cast
 *   to.
 *
 * Of an even number of elements the lower of the two in the middle. A NaN does not count, unless
 * there is nothing else. The median of nothing is NaN; of integers it is refused. */
ACLNN_API aclnnStatus aclnnNanMedianGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNanMedian(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

/* valuesOut, indicesOut = torch.nanmedian(self, dim, keepDim).
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - dim: the axis, from -rank to rank - 1.
 * - keepDim: whether the axis stays, with one element.
 * - valuesOut: self's shape without the axis; of self's type or one that it can be cast to.
 * - indicesOut: of the same shape; INT64 or INT32: the place of the first element with that value.
 *
 * Of an even number of elements the lower of the two in the middle. A NaN does not count, unless
 * there is nothing else. An axis without elements is refused. */
ACLNN_API aclnnStatus aclnnNanMedianDimGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                        bool keepDim, aclTensor *valuesOut,
                                                        aclTensor *indicesOut,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNanMedianDim(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
