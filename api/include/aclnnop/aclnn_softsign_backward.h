/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of softsign. */
#ifndef OP_API_INC_SOFTSIGN_BACKWARD_H_
#define OP_API_INC_SOFTSIGN_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* output = gradients / (1 + |features|)^2. Half types are computed in FLOAT and rounded once.
 *
 * - gradients: the gradient of softsign's result; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - features: its operand. Both promote and broadcast.
 * - output: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnSoftsignBackwardGetWorkspaceSize(const aclTensor *gradients,
                                                            const aclTensor *features,
                                                            aclTensor *output,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftsignBackward(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
