/* SPDX-License-Identifier: Apache-2.0 */
/* GELU by two parabolas. */
#ifndef OP_API_INC_FAST_GELU_V2_H_
#define OP_API_INC_FAST_GELU_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x (s (0.5 - 0.1444 (min(0.7071 |x|, 1.769) - 1.769)^2) + 0.5), where s is -1 if x + 1e-12
 * is negative and 1 otherwise. Half types are computed in FLOAT and rounded once.
 *
 * - x: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnFastGeluV2GetWorkspaceSize(const aclTensor *x, const aclTensor *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFastGeluV2(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
