/* SPDX-License-Identifier: Apache-2.0 */
/* Where a tensor is not 0, an axis at a time. */
#ifndef OP_API_INC_NONZERO_V2_H_
#define OP_API_INC_NONZERO_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[d][j] = the index along axis d of the j-th element of self that is not 0, in row-major
 * order, as torch.nonzero(self).T. NaN is not 0.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or UINT32.
 * - out: INT64, of shape (rank of self, elements of self). How many places there are is known when
 *   the stream has been synchronised: aclGetViewShape of out then says (rank, places). A dense out
 *   becomes a dense tensor of that shape: index j of axis d lies at d * places + j, and
 *   aclGetViewStrides says so. Any other keeps its strides. What lies behind is not written. */
ACLNN_API aclnnStatus aclnnNonzeroV2GetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNonzeroV2(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
