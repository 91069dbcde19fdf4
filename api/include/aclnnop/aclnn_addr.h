/* SPDX-License-Identifier: Apache-2.0 */
/* Outer products added to a tensor. */
#ifndef OP_API_INC_LEVEL2_ACLNN_ADDR_H_
#define OP_API_INC_LEVEL2_ACLNN_ADDR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = betaOptional self + alphaOptional vec1 vec2^T, as torch.addr.
 *
 * - self: broadcasts to (m, n); with a beta of 0 it is not read. vec1: (m); vec2: (n). FLOAT,
 *   FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or COMPLEX128, each
 *   its own: they promote.
 * - betaOptional, alphaOptional: scalars that can be cast to the promoted type; they must be given.
 * - out: (m, n), of the promoted type or one that it can be cast to. Half types are computed in
 *   FLOAT; integers wrap; of BOOL the sum is or, a product is and. */
ACLNN_API aclnnStatus aclnnAddrGetWorkspaceSize(const aclTensor *self, const aclTensor *vec1,
                                                const aclTensor *vec2,
                                                const aclScalar *betaOptional,
                                                const aclScalar *alphaOptional, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddr(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* selfRef = betaOptional selfRef + alphaOptional vec1 vec2^T, as aclnnAddr. */
ACLNN_API aclnnStatus aclnnInplaceAddrGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *vec1, const aclTensor *vec2, const aclScalar *betaOptional,
    const aclScalar *alphaOptional, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAddr(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
