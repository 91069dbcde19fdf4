/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of connectionist temporal classification. */
#ifndef OP_API_INC_CTCLOSSBACKWARD_H_
#define OP_API_INC_CTCLOSSBACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[t, n, c] = gradOut[n] (exp(logProbs[t, n, c]) - q), where q is the probability that a path
 * that spells target n is at class c at time t. That is the gradient by what
 * torch.nn.functional.log_softmax made logProbs of, as PyTorch's _ctc_loss_backward has it.
 *
 * - gradOut: the gradient of the losses, (N); of one sample without N also of no dimensions.
 *   FLOAT, FLOAT16, BF16 or DOUBLE, as all tensors but targets.
 * - logProbs, targets, inputLengths, targetLengths, blank: as of aclnnCtcLoss.
 * - negLogLikelihood, logAlpha: what aclnnCtcLoss gave.
 * - zeroInfinity: samples whose target no path spells have a gradient of 0. Else it is NaN.
 * - out: of logProbs' shape; 0 for times beyond inputLengths.
 *
 * Computed in double. Where logProbs is -infinity out is NaN, as in PyTorch. Targets that are no
 * class: as of aclnnCtcLoss. */
ACLNN_API aclnnStatus aclnnCtcLossBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclTensor *logProbs, const aclTensor *targets,
    const aclIntArray *inputLengths, const aclIntArray *targetLengths,
    const aclTensor *negLogLikelihood, const aclTensor *logAlpha, int64_t blank, bool zeroInfinity,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCtcLossBackward(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
