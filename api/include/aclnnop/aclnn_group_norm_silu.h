/* SPDX-License-Identifier: Apache-2.0 */
/* Group normalisation with SiLU. */
#ifndef OP_API_INC_GROUP_NORM_SILU_H_
#define OP_API_INC_GROUP_NORM_SILU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = silu(z), silu(z) = z / (1 + exp(-z)), z = (self - mean) rstd gamma + beta: aclnnGroupNorm
 * and torch.nn.functional.silu.
 *
 * - self: (N, C, ...), 2 to 7 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gamma, beta: (C), of any of these types; NULL: 1 and 0.
 * - group: groups; it divides C.
 * - eps: added to the variance.
 * - out: of self's shape; may be self.
 * - meanOut, rstdOut: (N, group). */
ACLNN_API aclnnStatus aclnnGroupNormSiluGetWorkspaceSize(
    const aclTensor *self, const aclTensor *gamma, const aclTensor *beta, int64_t group, double eps,
    aclTensor *out, aclTensor *meanOut, aclTensor *rstdOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupNormSilu(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

/* The same; or group normalisation alone.
 *
 * - self: (N, C, ...), 2 to 7 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gamma, beta: (C), of any of these types; NULL: 1 and 0.
 * - group: groups; it divides C.
 * - eps: added to the variance.
 * - activateSilu: false: out = z.
 * - out: of self's shape; may be self.
 * - meanOut, rstdOut: (N, group). */
ACLNN_API aclnnStatus aclnnGroupNormSiluV2GetWorkspaceSize(
    const aclTensor *self, const aclTensor *gamma, const aclTensor *beta, int64_t group, double eps,
    bool activateSilu, aclTensor *out, aclTensor *meanOut, aclTensor *rstdOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupNormSiluV2(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
