/* SPDX-License-Identifier: Apache-2.0 */
/* Squares of what is positive. */
#ifndef OP_API_INC_SQUARED_RELU_H_
#define OP_API_INC_SQUARED_RELU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = max(input, 0)^2; a NaN stays. Half types are computed in FLOAT and rounded once.
 *
 * - input: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnSquaredReluGetWorkspaceSize(const aclTensor *input, const aclTensor *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSquaredRelu(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
