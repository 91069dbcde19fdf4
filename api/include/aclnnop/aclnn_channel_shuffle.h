/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanging channels among groups. */
#ifndef OP_API_INC_LEVEL2_ACLNN_CHANNEL_SHUFFLE_H_
#define OP_API_INC_LEVEL2_ACLNN_CHANNEL_SHUFFLE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Channel g * n + j of self becomes channel j * groups + g of out, as
 * torch.nn.functional.channel_shuffle; n = channels / groups.
 *
 * - self: 3 to 7 dimensions, the second the channels.
 * - groups: greater than 0; divides the channels.
 * - out: of self's type and shape. */
ACLNN_API aclnnStatus aclnnChannelShuffleGetWorkspaceSize(const aclTensor *self, int64_t groups,
                                                          aclTensor *out, uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnChannelShuffle(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
