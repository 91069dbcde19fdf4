/* SPDX-License-Identifier: Apache-2.0 */
/* Differences the other way round. */
#ifndef OP_API_INC_RSUB_H_
#define OP_API_INC_RSUB_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = other - alpha * self, as torch.rsub.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8, BOOL, COMPLEX64 or COMPLEX128.
 * - alpha: a scalar; it has no say in the promoted type and must be one that can be cast to it.
 * - out: of the broadcast shape.
 *
 * Half types are computed in FLOAT and rounded once. Integers wrap. */
ACLNN_API aclnnStatus aclnnRsubGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                const aclScalar *alpha, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRsub(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* out = other - alpha * self with a scalar other, as aclnnRsub; other counts for the promoted type
 * by
 * its kind alone. */
ACLNN_API aclnnStatus aclnnRsubsGetWorkspaceSize(const aclTensor *self, const aclScalar *other,
                                                 const aclScalar *alpha, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRsubs(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
