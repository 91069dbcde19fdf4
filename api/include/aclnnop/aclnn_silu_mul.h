/* SPDX-License-Identifier: Apache-2.0 */
/* SiLU times a factor. */
#ifndef OP_API_INC_SILU_MUL_H_
#define OP_API_INC_SILU_MUL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x sigmoid(x) y. Half types are computed in FLOAT and rounded once.
 *
 * - x, y: FLOAT, FLOAT16, BF16 or DOUBLE; they promote and broadcast.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnSiluMulGetWorkspaceSize(const aclTensor *x, const aclTensor *y,
                                                   const aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSiluMul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
