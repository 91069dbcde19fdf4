/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of thresholds, relu among them. */
#ifndef OP_API_INC_THRESHOLD_BACKWARG_H_
#define OP_API_INC_THRESHOLD_BACKWARG_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = gradOutput where self > threshold or is a NaN, 0 elsewhere: the gradient of
 * torch.threshold, and
 * with a threshold of 0 that of torch.relu, of which self may be the result as well.
 *
 * - gradOutput, self: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32,
 *   INT64 or UINT8.
 * - threshold: a scalar that can be cast to the promoted type.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnThresholdBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclScalar *threshold, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnThresholdBackward(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
