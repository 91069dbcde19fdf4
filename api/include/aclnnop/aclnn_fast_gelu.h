/* SPDX-License-Identifier: Apache-2.0 */
/* Fast Gaussian error linear units. */
#ifndef OP_API_INC_FAST_GELU_H_
#define OP_API_INC_FAST_GELU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self / (1 + e^(-1.702 self)); 1.702 is the nearest FLOAT, for DOUBLE the nearest DOUBLE.
 * Half types are computed in FLOAT and rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnFastGeluGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFastGelu(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
