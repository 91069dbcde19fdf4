/* SPDX-License-Identifier: Apache-2.0 */
/* Distances between the rows of a matrix. */
#ifndef OP_API_INC_PDIST_FORWARD_H_
#define OP_API_INC_PDIST_FORWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnPdist, p as a scalar.
 *
 * - self: (N, M). FLOAT, FLOAT16, BF16 or DOUBLE, as out.
 * - pScalar: p, at least 0.
 * - out: (N (N - 1) / 2), the pairs (0, 1), (0, 2), ..., (1, 2), ... */
ACLNN_API aclnnStatus aclnnPdistForwardGetWorkspaceSize(const aclTensor *self,
                                                        const aclScalar *pScalar, aclTensor *out,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPdistForward(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
