/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian error linear units, exact and approximate. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GELUV2_H_
#define OP_API_INC_LEVEL2_ACLNN_GELUV2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = x (1 + erf(x / sqrt(2))) / 2, or with tanh x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) /
 * 2: torch.nn.functional.gelu. Half types are computed in FLOAT and rounded once.
 *
 * - x: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - approximate: 0 exact, 1 with tanh; others are refused.
 * - y: of its shape. */
ACLNN_API aclnnStatus aclnnGeluV2GetWorkspaceSize(const aclTensor *x, int64_t approximate,
                                                  aclTensor *y, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGeluV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
