/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices from tensors. */
#ifndef OP_API_INC_FLATTEN_H_
#define OP_API_INC_FLATTEN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self as a matrix: dimensions before axis are its rows, the others its columns.
 *
 * - axis: in [-rank, rank].
 * - out: two dimensions; of self's type. */
ACLNN_API aclnnStatus aclnnFlattenGetWorkspaceSize(const aclTensor *self, int64_t axis,
                                                   aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlatten(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
