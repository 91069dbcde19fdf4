/* SPDX-License-Identifier: Apache-2.0 */
/* Diagonals. */
#ifndef OP_API_INC_DIAG_H_
#define OP_API_INC_DIAG_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the diagonal of a matrix, or a matrix with that diagonal and zeros, as torch.diag.
 *
 * - self: a matrix, or one dimension.
 * - diagonal: columns right of the main diagonal; rows below it if negative.
 * - out: of self's type; one dimension, or a square matrix. */
ACLNN_API aclnnStatus aclnnDiagGetWorkspaceSize(const aclTensor *self, int64_t diagonal,
                                                aclTensor *out, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDiag(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
