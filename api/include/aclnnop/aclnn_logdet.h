/* SPDX-License-Identifier: Apache-2.0 */
/* The logarithm of determinants. */
#ifndef OP_API_INC_LOGDET_H_
#define OP_API_INC_LOGDET_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = log(det(self)), as torch.logdet. Computed in double and rounded once.
 *
 * - self: (..., n, n); FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64 or COMPLEX128.
 * - out: self's shape without the last two dimensions, of its type; -infinity where the
 *   determinant is 0, NaN where it is negative. A complex one has an imaginary part from -pi to
 *   pi, the angle of the determinant. */
ACLNN_API aclnnStatus aclnnLogdetGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogdet(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
