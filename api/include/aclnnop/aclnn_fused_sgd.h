/* SPDX-License-Identifier: Apache-2.0 */
/* A step of stochastic gradient descent for lists of tensors. */
#ifndef OP_API_INC_FUSED_SGD_H_
#define OP_API_INC_FUSED_SGD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For each place of the lists: grad becomes grad / gradScale if that is given; with g = grad, or
 * -grad if maximize, and weightDecay param more, the momentum buffer b becomes g in the first step
 * and momentum b + (1 - dampening) g in others, and param -= lr u, where u is b, g + momentum b
 * with nesterov, or g without momentum buffers. As torch._fused_sgd_. FLOAT16 and BF16 are
 * computed in FLOAT and rounded once. A weightDecay of 0 adds nothing, though param be infinite.
 *
 * - paramsRef, gradsRef: lists of as many tensors, one at least, of the same shapes. All FLOAT,
 *   all FLOAT16, all BF16 or all DOUBLE. Gradients are written only if they are scaled.
 * - momentumBufferListOptionalRef: the same; NULL or no tensors: none.
 * - gradScaleOptional: one element. FLOAT, FLOAT16, BF16, DOUBLE, INT32 or INT64; read when the
 *   work runs. NULL or empty: 1.
 * - weightDecay, momentum, lr, dampening: at least 0. momentum is greater than 0 with momentum
 *   buffers and 0 without.
 * - nesterov: needs a momentum and a dampening of 0.
 * - maximize, isFirstStep: see above. */
ACLNN_API aclnnStatus aclnnFusedSgdGetWorkspaceSize(
    const aclTensorList *paramsRef, const aclTensorList *gradsRef,
    const aclTensorList *momentumBufferListOptionalRef, const aclTensor *gradScaleOptional,
    float weightDecay, float momentum, float lr, float dampening, bool nesterov, bool maximize,
    bool isFirstStep, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFusedSgd(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
