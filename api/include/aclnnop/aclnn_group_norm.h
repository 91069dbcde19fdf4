/* SPDX-License-Identifier: Apache-2.0 */
/* Group normalisation. */
#ifndef OP_API_INC_GROUP_NORM_H_
#define OP_API_INC_GROUP_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The channels of a sample are cut into `group` groups; out = (self - mean) rstd gamma + beta,
 * mean and variance over a group, rstd = 1 / sqrt(variance + eps), as
 * torch.nn.functional.group_norm. Computed in double, rounded once.
 *
 * - self: (N, C, ...), 2 to 7 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gamma, beta: (C), of any of these types; NULL: 1 and 0.
 * - N, C, HxW: the sizes of self: samples, channels, elements of a channel.
 * - group: groups; it divides C.
 * - eps: added to the variance.
 * - out: of self's shape; may be self.
 * - meanOut, rstdOut: (N, group). */
ACLNN_API aclnnStatus aclnnGroupNormGetWorkspaceSize(const aclTensor *self, const aclTensor *gamma,
                                                     const aclTensor *beta, int64_t N, int64_t C,
                                                     int64_t HxW, int64_t group, double eps,
                                                     aclTensor *out, aclTensor *meanOut,
                                                     aclTensor *rstdOut, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupNorm(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
