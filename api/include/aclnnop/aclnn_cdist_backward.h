/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of distances between rows. */
#ifndef OP_API_INC_CDIST_BACKWARD_H_
#define OP_API_INC_CDIST_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of aclnnCdist by x1, as torch.ops.aten._cdist_backward: with d = x1[i] - x2[j],
 * out[i] is the sum over j of grad[i, j] sign(d) |d|^(p - 1) / cdist[i, j]^(p - 1); where the
 * distance is 0, or d is for p below 1, there is no term. Of p = 1 it is sign(d), of infinity
 * sign(d) where |d| is the distance, of 0 nothing. Computed in double, rounded once.
 *
 * - grad, cdist: (..., P, R): the distances' gradient, and the distances. FLOAT, FLOAT16, BF16 or
 *   DOUBLE, as all tensors.
 * - x1: (..., P, M); it is not broadcast.
 * - x2: (..., R, M); what is in front of them is broadcast to x1's.
 * - p: at least 0; -1 means infinity, which torch_npu passes.
 * - out: of x1's shape. */
ACLNN_API aclnnStatus aclnnCdistBackwardGetWorkspaceSize(const aclTensor *grad, const aclTensor *x1,
                                                         const aclTensor *x2,
                                                         const aclTensor *cdist, float p,
                                                         aclTensor *out, uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCdistBackward(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
