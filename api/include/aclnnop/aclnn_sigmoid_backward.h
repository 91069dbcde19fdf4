/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of sigmoid. */
#ifndef OP_API_INC_SIGMOID_BACKWARD_H_
#define OP_API_INC_SIGMOID_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput (1 - output) output, where output is the result of torch.sigmoid; of
 * complex numbers that factor is conjugated. Half types are computed in FLOAT and rounded once.
 *
 * - gradOutput, output: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64 or
 *   COMPLEX128.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnSigmoidBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                           const aclTensor *output,
                                                           aclTensor *gradInput,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSigmoidBackward(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
