/* SPDX-License-Identifier: Apache-2.0 */
/* Writing elements of a tensor that is taken as one row. */
#ifndef OP_API_INC_PUT_H_
#define OP_API_INC_PUT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selfRef.flatten()[index[i]] = source[i], or with accumulate += source[i], as torch.Tensor.put_.
 *
 * - selfRef: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16,
 *   UINT32, COMPLEX64 or COMPLEX128.
 * - index: INT32 or INT64, of any shape; negative indices count from the end, so each is from -n
 *   to n - 1 for n elements of selfRef.
 * - source: of selfRef's type, with as many elements as index, in any shape.
 * - accumulate: adds. Without it the last of the values that meet stays.
 *
 * Values that meet are added in the order of the indices: the result has the same bits for any
 * number of threads. Half types are summed in FLOAT and rounded once; integers wrap; of BOOL it is
 * or. An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnInplacePutGetWorkspaceSize(aclTensor *selfRef, const aclTensor *index,
                                                      const aclTensor *source, bool accumulate,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplacePut(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
