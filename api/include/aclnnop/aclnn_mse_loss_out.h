/* SPDX-License-Identifier: Apache-2.0 */
/* Mean squared error. */
#ifndef OP_API_INC_MSE_LOSS_OUT_H_
#define OP_API_INC_MSE_LOSS_OUT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = (self - target)^2, its mean or its sum: torch.nn.functional.mse_loss. Each loss is rounded
 * to FLOAT (DOUBLE of doubles) and they are added in double. The mean of no elements is NaN, their
 * sum 0.
 *
 * - self, target: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - reduction: 0 (none), 1 (mean), 2 (sum).
 * - out: of the broadcast shape; of a mean and a sum one element, with or without a dimension. Of
 *   any floating type. */
ACLNN_API aclnnStatus aclnnMseLossOutGetWorkspaceSize(const aclTensor *self,
                                                      const aclTensor *target, int64_t reduction,
                                                      aclTensor *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMseLossOut(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
