/* SPDX-License-Identifier: Apache-2.0 */
/* Writing along an axis, one index for each value. */
#ifndef OP_API_INC_SCATTER_H_
#define OP_API_INC_SCATTER_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self, then out[index[i][j]][j] = src[i][j] for dim = 0, and so for other axes, as
 * torch.scatter.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *   COMPLEX64 or COMPLEX128.
 * - dim: an axis of self, counted from the end if negative.
 * - index: INT32 or INT64, with as many dimensions as self; along axes other than dim no longer
 *   than self. Each from 0 to self's size along dim - 1.
 * - src: of self's type; along no axis shorter than index.
 * - reduce: 0 replaces, 1 adds, 2 multiplies. Where several meet, the last one stays, or they are
 *   combined in index's row-major order: the result has the same bits for any number of threads.
 *   Half types are computed in FLOAT and rounded once; integers wrap; of BOOL 1 is or, 2 is and.
 * - out: of self's type and shape. It may be self; what no index names is self's.
 *
 * An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnScatterGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                   const aclTensor *index, const aclTensor *src,
                                                   int64_t reduce, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScatter(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

/* The same in selfRef itself, as torch.Tensor.scatter_; arguments as aclnnScatter has them. */
ACLNN_API aclnnStatus aclnnInplaceScatterGetWorkspaceSize(aclTensor *selfRef, int64_t dim,
                                                          const aclTensor *index,
                                                          const aclTensor *src, int64_t reduce,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceScatter(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

/* out = self, then out[index[i][j]][j] = value for dim = 0, and so for other axes, as
 * torch.scatter with a number.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *   COMPLEX64 or COMPLEX128.
 * - dim: an axis of self, counted from the end if negative.
 * - index: INT32 or INT64, with as many dimensions as self; along axes other than dim no longer
 *   than self. Each from 0 to self's size along dim - 1.
 * - value: a scalar of any real type, converted to self's. With reduce it is not rounded to a half
 *   type.
 * - reduce: 0 replaces, 1 adds, 2 multiplies. Where several meet, the last one stays, or they are
 *   combined in index's row-major order: the result has the same bits for any number of threads.
 *   Half types are computed in FLOAT and rounded once; integers wrap; of BOOL 1 is or, 2 is and.
 * - out: of self's type and shape. It may be self; what no index names is self's.
 *
 * An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnScatterValueGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                        const aclTensor *index,
                                                        const aclScalar *value, int64_t reduce,
                                                        aclTensor *out, uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScatterValue(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

/* The same in selfRef itself; arguments as aclnnScatterValue has them. */
ACLNN_API aclnnStatus aclnnInplaceScatterValueGetWorkspaceSize(
    aclTensor *selfRef, int64_t dim, const aclTensor *index, const aclScalar *value, int64_t reduce,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceScatterValue(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
