/* SPDX-License-Identifier: Apache-2.0 */
/* Where a tensor is not 0. */
#ifndef OP_API_INC_NONZERO_H_
#define OP_API_INC_NONZERO_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[j] = the indices of the j-th element of self that is not 0, in row-major order, as
 * torch.nonzero. NaN is not 0.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or UINT32.
 * - out: INT64, of shape (elements of self, rank of self). Rows behind the last place are not
 *   written. How many places there are is known when the stream has been synchronised:
 *   aclGetViewShape of out then says (places, rank). */
ACLNN_API aclnnStatus aclnnNonzeroGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNonzero(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
