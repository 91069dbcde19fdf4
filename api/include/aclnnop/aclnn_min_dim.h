/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest elements along an axis, and their places. */
#ifndef OP_API_INC_MIN_DIM_H_
#define OP_API_INC_MIN_DIM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out, indices = torch.min(self, dim, keepdim).
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - dim: the axis, from -rank to rank - 1.
 * - keepdim: whether the axis stays, with one element.
 * - out: self's shape without the axis; of self's type or one that it can be cast to.
 * - indices: of the same shape, INT64 or INT32: the place along the axis of the first element with
 *   that value.
 *
 * A NaN is greater and less than every number: it is the result if there is one. An axis without
 * elements is refused. Then the place is the first NaN's. */
ACLNN_API aclnnStatus aclnnMinDimGetWorkspaceSize(const aclTensor *self, int64_t dim, bool keepdim,
                                                  aclTensor *out, aclTensor *indices,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMinDim(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
