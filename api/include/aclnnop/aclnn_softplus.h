/* SPDX-License-Identifier: Apache-2.0 */
/* Softplus. */
#ifndef OP_API_INC_SOFTPLUS_H_
#define OP_API_INC_SOFTPLUS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log(1 + e^(beta self)) / beta, and self where beta self > threshold:
 * torch.nn.functional.softplus. Nothing overflows below the threshold. Half types are computed in
 * FLOAT and rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - beta, threshold: scalars.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnSoftplusGetWorkspaceSize(const aclTensor *self, const aclScalar *beta,
                                                    const aclScalar *threshold, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftplus(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
