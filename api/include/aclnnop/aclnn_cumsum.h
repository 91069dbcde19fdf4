/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums. */
#ifndef OP_API_INC_LEVEL2_ACLNN_CUMSUM_H_
#define OP_API_INC_LEVEL2_ACLNN_CUMSUM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = self[0] + ... + self[i] along an axis, as torch.cumsum.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128, and then dtype is one of these two.
 * - dim: the axis, from -rank to rank - 1.
 * - dtype: the type that elements are cast to before they are reduced, and of the result;
 *   ACL_DT_UNDEFINED: self's.
 * - out: of self's shape; of dtype or one that it can be cast to.
 *
 * Sums and products of floating types are made in DOUBLE and rounded once each, those of integers
 * in INT64, and wrap. */
ACLNN_API aclnnStatus aclnnCumsumGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                  aclDataType dtype, aclTensor *out,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCumsum(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

/* The same in self's type.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128.
 * - dim: the axis, from -rank to rank - 1.
 * - exclusive: without self[i] itself: the first is 0.
 * - reverse: from the axis' end.
 * - out: of self's shape; of self's type or one that it can be cast to.
 *
 * Sums and products of floating types are made in DOUBLE and rounded once each, those of integers
 * in INT64, and wrap. */
ACLNN_API aclnnStatus aclnnCumsumV2GetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                    bool exclusive, bool reverse, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCumsumV2(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
