/* SPDX-License-Identifier: Apache-2.0 */
/* The greatest or least elements. */
#ifndef OP_API_INC_TOPK_H_
#define OP_API_INC_TOPK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* valuesOut, indicesOut = torch.topk(self, k, dim, largest, sorted): the k greatest elements along
 * one axis, or the least, and
 * where they are. NaN is greater than all numbers; of equal elements those that come first are
 * taken.
 *
 * - self: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8, UINT16, UINT32 or BOOL.
 * - k: from 0 to the size of the axis.
 * - dim: the axis, counted from the end if negative.
 * - largest: the greatest; else the least.
 * - sorted: changes nothing: results are always in order.
 * - valuesOut: type of self; its shape, but k along dim.
 * - indicesOut: the same shape. INT64 or INT32. */
ACLNN_API aclnnStatus aclnnTopkGetWorkspaceSize(const aclTensor *self, int64_t k, int64_t dim,
                                                bool largest, bool sorted, aclTensor *valuesOut,
                                                aclTensor *indicesOut, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTopk(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
