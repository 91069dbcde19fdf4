/* SPDX-License-Identifier: Apache-2.0 */
/* Divergence of Kullback and Leibler. */
#ifndef OP_API_INC_KL_DIV_H_
#define OP_API_INC_KL_DIV_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = target (log(target) - self), or with logTarget exp(target) (target - self); its mean or
 * its sum: torch.nn.functional.kl_div. Where target is 0 its logarithm does not count; where it is
 * negative the loss is NaN. Each loss is rounded to FLOAT (DOUBLE of doubles) and they are added
 * in double. The mean of no elements is NaN, their sum 0.
 *
 * - self, target: logarithms of probabilities; probabilities, or their logarithms. They broadcast,
 *   and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - reduction: 0 (none), 1 (mean), 2 (sum) or 3 (batchmean: the sum by self's first size).
 * - logTarget: target holds logarithms.
 * - out: of the broadcast shape; of a mean and a sum one element, with or without a dimension. Of
 *   any floating type. */
ACLNN_API aclnnStatus aclnnKlDivGetWorkspaceSize(const aclTensor *self, const aclTensor *target,
                                                 int64_t reduction, bool logTarget, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnKlDiv(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
