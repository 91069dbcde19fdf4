/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of padding. */
#ifndef OP_API_INC_REPLICATION_PAD1D_BACKWARD_H_
#define OP_API_INC_REPLICATION_PAD1D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of aclnnReplicationPad1d (torch.nn.functional.pad, mode replicate): each element of
 * gradInput is the sum of gradOutput's elements that were made of it: the one inside and what the
 * edges repeat of it, if it is the first or the last. Summed in double, rounded once.
 *
 * - gradOutput: of the shape of what is padded. FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64 or
 *   COMPLEX128, as all tensors.
 * - self: (C, L) or (N, C, L); only its shape counts.
 * - padding: 2 numbers: in front and behind of the last dimension; as
 *   it was padded.
 * - gradInput: of self's shape; may overlap gradOutput. */
ACLNN_API aclnnStatus aclnnReplicationPad1dBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclIntArray *padding,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnReplicationPad1dBackward(void *workspace, uint64_t workspaceSize,
                                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
