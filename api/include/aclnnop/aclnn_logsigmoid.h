/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of sigmoid. */
#ifndef OP_API_INC_LOG_SIGMOID_H_
#define OP_API_INC_LOG_SIGMOID_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log(1 / (1 + e^-self)): torch.nn.functional.logsigmoid. Half types are computed in FLOAT
 * and rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnLogSigmoidGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogSigmoid(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

/* The same.
 *
 * - buffer: is not written. Of any shape, or NULL; PyTorch's has no elements. */
ACLNN_API aclnnStatus aclnnLogSigmoidForwardGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                             aclTensor *buffer,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogSigmoidForward(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
