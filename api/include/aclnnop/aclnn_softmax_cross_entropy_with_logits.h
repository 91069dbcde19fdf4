/* SPDX-License-Identifier: Apache-2.0 */
/* Cross entropy with probabilities. */
#ifndef OP_API_INC_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS_H_
#define OP_API_INC_SOFTMAX_CROSS_ENTROPY_WITH_LOGITS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* loss[n] = -sum(labels[n] log_softmax(features[n])), backprop = softmax(features) - labels.
 *
 * - features: (N, C); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - labels: (N, C), probabilities; only read.
 * - loss: (N).
 * - backprop: (N, C); may be features or labels. */
ACLNN_API aclnnStatus aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(
    const aclTensor *features, aclTensor *labels, aclTensor *loss, aclTensor *backprop,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftmaxCrossEntropyWithLogits(void *workspace, uint64_t workspaceSize,
                                                         aclOpExecutor *executor,
                                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
