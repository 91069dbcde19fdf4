/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the divergence of Kullback and Leibler. */
#ifndef OP_API_INC_KL_DIV_BACKWARD_H_
#define OP_API_INC_KL_DIV_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = -target gradOutput / n, or with logTarget -exp(target) gradOutput / n, the gradient of
 * torch.nn.functional.kl_div by self; n is the number of elements where reduction is 1, self's
 * first size where it is 3, else 1.
 *
 * - gradOutput, self, target: broadcast, and promote; of a mean and a sum gradOutput has one
 *   element. self's elements are not asked for. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - reduction: 0 (none), 1 (mean), 2 (sum) or 3 (batchmean: the sum by self's first size) of the
 *   forward function.
 * - logTarget: target holds logarithms.
 * - out: of the broadcast shape. Of any floating type. */
ACLNN_API aclnnStatus aclnnKlDivBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target, int64_t reduction,
    bool logTarget, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnKlDivBackward(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
