/* SPDX-License-Identifier: Apache-2.0 */
/* The place of the smallest element. */
#ifndef OP_API_INC_ARGMIN_H_
#define OP_API_INC_ARGMIN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the place along an axis of the smallest element, the first of equal ones, as torch.argmin.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - dim: the axis, from -rank to rank - 1.
 * - keepdim: whether the axis stays, with one element.
 * - out: self's shape without the axis; INT64 or INT32.
 *
 * The first NaN is the extreme if there is one. An axis without elements is refused. */
ACLNN_API aclnnStatus aclnnArgMinGetWorkspaceSize(const aclTensor *self, int64_t dim, bool keepdim,
                                                  aclTensor *out, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnArgMin(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
