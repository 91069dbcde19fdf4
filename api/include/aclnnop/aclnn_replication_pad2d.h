/* SPDX-License-Identifier: Apache-2.0 */
/* Replicated edges. */
#ifndef OP_API_INC_REPLICATION_PAD2D_H_
#define OP_API_INC_REPLICATION_PAD2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self with edges along the last 2 dimensions: the edges repeat the outermost elements, as
 * torch.nn.functional.pad with mode replicate.
 *
 * - self: 3 or 4 dimensions.
 * - padding: 4 numbers, elements in front and behind for each of these dimensions, the last one
 *   first; any number where the size is not 0. Negative ones leave elements out.
 * - out: of self's type. */
ACLNN_API aclnnStatus aclnnReplicationPad2dGetWorkspaceSize(const aclTensor *self,
                                                            const aclIntArray *padding,
                                                            aclTensor *out, uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnReplicationPad2d(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
