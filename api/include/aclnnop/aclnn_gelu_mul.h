/* SPDX-License-Identifier: Apache-2.0 */
/* GELU of one half times the other. */
#ifndef OP_API_INC_GELU_MUL_H_
#define OP_API_INC_GELU_MUL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = gelu(a) b, where a and b are the halves of input along its last axis. Half types are
 * computed in FLOAT and rounded once.
 *
 * - input: FLOAT, FLOAT16, BF16 or DOUBLE, 1 to 8 dimensions; the last size is even.
 * - approximateOptional: "none" (by the normal distribution) or "tanh"; NULL is "none".
 * - out: of input's shape with half the last size. */
ACLNN_API aclnnStatus aclnnGeluMulGetWorkspaceSize(const aclTensor *input,
                                                   char *approximateOptional, const aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGeluMul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
