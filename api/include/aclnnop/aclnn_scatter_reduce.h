/* SPDX-License-Identifier: Apache-2.0 */
/* Combining along an axis, one index for each value. */
#ifndef OP_API_INC_SCATTER_REDUCE_H_
#define OP_API_INC_SCATTER_REDUCE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self, then out[index[i][j]][j] = that combined with src[i][j] for dim = 0, and so for
 * other axes, as torch.scatter_reduce.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *   COMPLEX64 or COMPLEX128.
 * - dim: an axis of self, counted from the end if negative.
 * - index: INT32 or INT64, with as many dimensions as self; along axes other than dim no longer
 *   than self. Each from 0 to self's size along dim - 1.
 * - src: of self's type; along no axis shorter than index.
 * - reduce: 0 replaces, 1 adds, 2 multiplies, 3 takes the maximum, 4 the minimum, 5 the mean; of
 *   BOOL there is no mean, of complex numbers neither 3 nor 4. Values are combined in index's
 *   row-major order: the result has the same bits for any number of threads. Half types are
 *   computed in FLOAT and rounded once; integers wrap, and their mean is rounded towards minus
 *   infinity. A NaN makes maximum and minimum NaN.
 * - includeSelf: whether what self holds at a place counts as one of the values there.
 * - out: of self's type and shape. It may be self; what no index names is self's.
 *
 * An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnScatterReduceGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                         const aclTensor *index,
                                                         const aclTensor *src, int64_t reduce,
                                                         bool includeSelf, aclTensor *out,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScatterReduce(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

/* The same in selfRef itself, as torch.Tensor.scatter_reduce_; arguments as aclnnScatterReduce has
 * them. */
ACLNN_API aclnnStatus aclnnInplaceScatterReduceGetWorkspaceSize(
    aclTensor *selfRef, int64_t dim, const aclTensor *index, const aclTensor *src, int64_t reduce,
    bool includeSelf, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceScatterReduce(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
