/* SPDX-License-Identifier: Apache-2.0 */
/* One value for parts of a tensor along an axis. */
#ifndef OP_API_INC_INDEX_FILL_H_
#define OP_API_INC_INDEX_FILL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self, then out[.., index[i], ..] = value along dim, as torch.index_fill.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or UINT32.
 * - dim: an axis of self, counted from the end if negative.
 * - index: INT32 or INT64, a vector; negative indices count from the end. Indices that name no
 *   element are skipped.
 * - value: a scalar of any real type, converted to self's.
 * - out: of self's type and shape. It may be self. */
ACLNN_API aclnnStatus aclnnIndexFillGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                     const aclTensor *index, const aclScalar *value,
                                                     aclTensor *out, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIndexFill(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

/* The same in selfRef itself; arguments as aclnnIndexFill has them. */
ACLNN_API aclnnStatus aclnnInplaceIndexFillGetWorkspaceSize(aclTensor *selfRef, int64_t dim,
                                                            const aclTensor *index,
                                                            const aclScalar *value,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceIndexFill(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
