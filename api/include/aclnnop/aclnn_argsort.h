/* SPDX-License-Identifier: Apache-2.0 */
/* The places of sorted elements. */
#ifndef OP_API_INC_ARGSORT_H_
#define OP_API_INC_ARGSORT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = torch.argsort(self, dim, descending, stable=True): where the elements along one axis are,
 * in their order.
 * NaN is greater than all numbers; zeros of both signs are equal.
 *
 * - self: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8, UINT16, UINT32 or BOOL.
 * - dim: the axis, counted from the end if negative.
 * - descending: the greatest first.
 * - out: shape of self. INT64 or INT32. */
ACLNN_API aclnnStatus aclnnArgsortGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                   bool descending, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnArgsort(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
