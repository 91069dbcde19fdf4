/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a tensor along several axes, TensorFlow's way. */
#ifndef OP_API_INC_STRIDED_SLICE_H_
#define OP_API_INC_STRIDED_SLICE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self[begin[0]:end[0]:strides[0], ..], as tf.strided_slice. Entry i of the arrays says what
 * becomes of the next axis; bit i of a mask changes it:
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16, UINT32,
 *   COMPLEX64 or COMPLEX128.
 * - begin, end: counted from the end if negative; outside of the axis they mean its end.
 * - strides: not 0; of as many entries as begin and end. Negative ones go downwards.
 * - beginMask, endMask: entry i begins, ends, where the axis does.
 * - ellipsisMask: at most one bit; entry i stands for all axes that other entries do not name.
 * - newAxisMask: entry i is a new axis of one element.
 * - shrinkAxisMask: entry i is the one index begin[i], which must be inside, and its axis goes.
 * - out: of self's type and the shape of the result, at most 8 dimensions. Axes behind the last
 *   entry stay. */
ACLNN_API aclnnStatus aclnnStridedSliceGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *begin, const aclIntArray *end,
    const aclIntArray *strides, int64_t beginMask, int64_t endMask, int64_t ellipsisMask,
    int64_t newAxisMask, int64_t shrinkAxisMask, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnStridedSlice(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
