/* SPDX-License-Identifier: Apache-2.0 */
/* Rotating along dimensions. */
#ifndef OP_API_ACLNN_ROLL_H
#define OP_API_ACLNN_ROLL_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element i along dimension dims[k] of x is element (i + shifts[k]) modulo the size of out, as
 * torch.roll.
 *
 * - shifts: as many as dims, or one where dims is empty: then x is rotated as if it had one
 *   dimension.
 * - dims: in [-rank, rank); shifts of a dimension that is named twice add up.
 * - out: of x's type and shape. It may be x. */
ACLNN_API aclnnStatus aclnnRollGetWorkspaceSize(const aclTensor *x, const aclIntArray *shifts,
                                                const aclIntArray *dims, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRoll(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
