/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the gated unit of SiLU. */
#ifndef ACLNN_SWI_GLU_GRAD_H_
#define ACLNN_SWI_GLU_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With the halves a, b of x along dim and s = 1 / (1 + exp(-a)): the halves of out are yGrad b s
 * (1 + a (1 - s)) and yGrad a s.
 *
 * - yGrad: half of x's size along dim. All operands promote.
 * - x: at least one dimension, of an even size along dim. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis; counts from the end if negative.
 * - out: of x's shape; may be x. */
ACLNN_API aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor *yGrad, const aclTensor *x,
                                                      int64_t dim, const aclTensor *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSwiGluGrad(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
