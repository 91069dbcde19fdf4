/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential linear units. */
#ifndef OP_API_INC_LEVEL2_ACLNN_ELU_H_
#define OP_API_INC_LEVEL2_ACLNN_ELU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = scale self where self is not negative, alpha scale (e^(inputScale self) - 1) elsewhere:
 * torch.nn.functional.elu with scale = inputScale = 1. Half types are computed in FLOAT and
 * rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - alpha, scale, inputScale: scalars.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnEluGetWorkspaceSize(const aclTensor *self, const aclScalar *alpha,
                                               const aclScalar *scale, const aclScalar *inputScale,
                                               aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnElu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

/* selfRef becomes what aclnnElu gives for it. */
ACLNN_API aclnnStatus aclnnInplaceEluGetWorkspaceSize(aclTensor *selfRef, const aclScalar *alpha,
                                                      const aclScalar *scale,
                                                      const aclScalar *inputScale,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceElu(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
