/* SPDX-License-Identifier: Apache-2.0 */
/* Running largest elements. */
#ifndef OP_API_INC_LEVEL2_ACLNN_CUMMAX_H_
#define OP_API_INC_LEVEL2_ACLNN_CUMMAX_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* valuesOut, indicesOut = torch.cummax(self, dim): the largest of the elements up to each one, and
 * its place.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - dim: the axis, from -rank to rank - 1.
 * - valuesOut: of self's shape; of self's type or one that it can be cast to.
 * - indicesOut: of self's shape; INT64 or INT32. Of equal elements the last one counts.
 *
 * From the first NaN on the value is NaN. */
ACLNN_API aclnnStatus aclnnCummaxGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                  aclTensor *valuesOut, aclTensor *indicesOut,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCummax(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
