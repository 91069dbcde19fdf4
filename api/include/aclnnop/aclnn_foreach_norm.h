/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: norms of tensors. */
#ifndef ACLNN_FOREACH_NORM_H_
#define ACLNN_FOREACH_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes the p-norm of all elements of x[i], with p = scalar, as torch._foreach_norm:
 * (sum |x|^p)^(1/p); of p = 0 the number of elements that are not 0, of infinity the largest size,
 * of -infinity the least. The norm of nothing is that of an empty sum; p infinite refuses it.
 *
 * - x: a list of tensors. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - scalar: p.
 * - out: a list of as many tensors, each of one element, in no or one dimension. The norm is
 *   rounded to x[i]'s type, and cast if out[i] has another one of these. */
ACLNN_API aclnnStatus aclnnForeachNormGetWorkspaceSize(const aclTensorList *x,
                                                       const aclScalar *scalar,
                                                       const aclTensorList *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachNorm(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
