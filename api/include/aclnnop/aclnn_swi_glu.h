/* SPDX-License-Identifier: Apache-2.0 */
/* Gated unit of SiLU. */
#ifndef ACLNN_SWI_GLU_H_
#define ACLNN_SWI_GLU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With the halves a, b of x along dim: out = a b / (1 + exp(-a)), torch.nn.functional.silu of a
 * times b.
 *
 * - x: at least one dimension, of an even size along dim. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis; counts from the end if negative.
 * - out: half of x's size along dim. Of any floating type. */
ACLNN_API aclnnStatus aclnnSwiGluGetWorkspaceSize(const aclTensor *x, int64_t dim,
                                                  const aclTensor *out, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSwiGlu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
