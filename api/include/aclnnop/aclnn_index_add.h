/* SPDX-License-Identifier: Apache-2.0 */
/* Adding parts of a tensor along an axis. */
#ifndef OP_API_INC_INDEX_ADD_H_
#define OP_API_INC_INDEX_ADD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self, then out[.., index[i], ..] += alpha * source[.., i, ..] along dim, as
 * torch.index_add.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - dim: an axis of self, counted from the end if negative.
 * - index: INT32 or INT64, a vector, each from 0 to self's size along dim - 1.
 * - source: of self's type and shape, but as long along dim as index.
 * - alpha: a scalar of any type that can be cast to self's.
 * - out: of self's type and shape. It may be self; what no index names is self's.
 *
 * Values that meet are added in the order of the indices: the result has the same bits for any
 * number of threads. Half types are summed in FLOAT and rounded once; integers wrap; of BOOL it is
 * or. With alpha other than 1 the products are rounded before they are added, of half types in
 * FLOAT. An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnIndexAddGetWorkspaceSize(const aclTensor *self, const int64_t dim,
                                                    const aclTensor *index, const aclTensor *source,
                                                    const aclScalar *alpha, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIndexAdd(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
