/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices with a diagonal. */
#ifndef OP_API_INC_DIAG_FLAT_H_
#define OP_API_INC_DIAG_FLAT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = a square matrix of zeros whose diagonal has self's elements in row-major order, as
 * torch.diagflat.
 *
 * - self: 0 to 8 dimensions.
 * - diagonal: columns right of the main diagonal; rows below it if negative.
 * - out: of self's type. */
ACLNN_API aclnnStatus aclnnDiagFlatGetWorkspaceSize(const aclTensor *self, int64_t diagonal,
                                                    aclTensor *out, uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDiagFlat(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
