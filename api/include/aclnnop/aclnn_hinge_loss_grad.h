/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the hinge loss. */
#ifndef OP_API_INC_HINGE_LOSS_GRAD_H_
#define OP_API_INC_HINGE_LOSS_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = -target gradOutput where target predict is less than 1, 0 elsewhere. Half types are
 * computed in FLOAT and rounded once.
 *
 * - predict, target, gradOutput: FLOAT, FLOAT16, BF16 or DOUBLE; they promote and broadcast.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnHingeLossGradGetWorkspaceSize(
    const aclTensor *predict, const aclTensor *target, const aclTensor *gradOutput,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHingeLossGrad(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
