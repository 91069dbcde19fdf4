/* SPDX-License-Identifier: Apache-2.0 */
/* Cross products of vectors of three components. */
#ifndef OP_API_INC_LINALG_CROSS_H_
#define OP_API_INC_LINALG_CROSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[0] = self[1] other[2] - self[2] other[1] and so on around, along dimension dim, as
 * torch.linalg.cross. FLOAT16 and BF16 are computed in FLOAT, COMPLEX64 in double, and
 * rounded once; integers wrap.
 *
 * - self, other: of one number of dimensions, 1 to 8, and shapes that broadcast; dimension dim of
 *   what they broadcast to is 3. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8,
 *   COMPLEX64 or COMPLEX128, as out.
 * - dim: may be counted from the end.
 * - out: of the broadcast shape; may overlap an operand. */
ACLNN_API aclnnStatus aclnnLinalgCrossGetWorkspaceSize(const aclTensor *self,
                                                       const aclTensor *other, int64_t dim,
                                                       aclTensor *out, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLinalgCross(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
