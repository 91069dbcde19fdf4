/* SPDX-License-Identifier: Apache-2.0 */
/* Writing at places that tensors of indices name. */
#ifndef OP_API_INC_INDEX_PUT_H_
#define OP_API_INC_INDEX_PUT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selfRef[indices] = values, or with accumulate selfRef[indices] += values, as
 * torch.Tensor.index_put_.
 *
 * - selfRef: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or
 *   UINT32, with at most 8 dimensions.
 * - indices: as aclnnIndex has them, but only an empty tensor of selfRef's type with one dimension
 *   stands for a whole axis, and only beside one that has elements. Any other empty tensor (of
 * INT32 or INT64 where selfRef's type is another) selects nothing: nothing is written.
 * - values: of selfRef's type; broadcasts to the shape of selfRef[indices], which has at most 8
 *   dimensions.
 * - accumulate: adds. Values that meet are added in the order of the indices, row by row: the
 *   result has the same bits for any number of threads. Half types are summed in FLOAT and rounded
 *   once; integers wrap; of BOOL it is or. Without it the last of the values that meet stays.
 * - unsafe: has no say: indices are always checked.
 *
 * An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnIndexPutImplGetWorkspaceSize(
    aclTensor *selfRef, const aclTensorList *indices, const aclTensor *values,
    const bool accumulate, const bool unsafe, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIndexPutImpl(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
