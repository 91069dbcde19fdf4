/* SPDX-License-Identifier: Apache-2.0 */
/* ELU. */
#ifndef OP_API_INC_ELU_V2_H_
#define OP_API_INC_ELU_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What aclnnElu computes: out = scale self where self is not negative, alpha scale (e^(inputScale
 * self) - 1) elsewhere.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - alpha, scale, inputScale: of types that can be cast to self's.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnEluV2GetWorkspaceSize(const aclTensor *self, const aclScalar *alpha,
                                                 const aclScalar *scale,
                                                 const aclScalar *inputScale, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEluV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
