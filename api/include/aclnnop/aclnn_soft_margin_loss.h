/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic loss of two classes. */
#ifndef OP_API_INC_SOFT_MARGIN_LOSS_H_
#define OP_API_INC_SOFT_MARGIN_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log(1 + exp(-target self)), its mean or its sum: torch.nn.functional.soft_margin_loss. exp
 * does not overflow. Each loss is rounded to FLOAT (DOUBLE of doubles) and they are added in
 * double. The mean of no elements is NaN, their sum 0.
 *
 * - self, target: a prediction, and 1 or -1. They broadcast, and promote. FLOAT, FLOAT16, BF16 or
 *   DOUBLE.
 * - reduction: 0 (none), 1 (mean), 2 (sum).
 * - out: of the broadcast shape; of a mean and a sum one element, with or without a dimension. Of
 *   any floating type. */
ACLNN_API aclnnStatus aclnnSoftMarginLossGetWorkspaceSize(const aclTensor *self,
                                                          const aclTensor *target,
                                                          int64_t reduction, aclTensor *out,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSoftMarginLoss(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
