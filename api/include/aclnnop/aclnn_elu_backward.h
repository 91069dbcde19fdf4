/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of ELU. */
#ifndef OP_API_INC_LEVEL2_ACLNN_ELU_BACKWARD_H_
#define OP_API_INC_LEVEL2_ACLNN_ELU_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gradInput = gradOutput scale where selfOrResult > 0. Elsewhere, of the operand x, gradOutput
 * alpha scale inputScale e^(inputScale x); of the result r, gradOutput inputScale (r + alpha
 * scale). Half types are computed in FLOAT and rounded once.
 *
 * - gradOutput, selfOrResult: broadcast, and promote. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - alpha, scale, inputScale: scalars.
 * - isResult: whether selfOrResult is the result of aclnnElu; a negative alpha is then refused, as
 *   the sign would not tell the case.
 * - gradInput: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnEluBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclScalar *alpha, const aclScalar *scale,
    const aclScalar *inputScale, bool isResult, const aclTensor *selfOrResult, aclTensor *gradInput,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEluBackward(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
