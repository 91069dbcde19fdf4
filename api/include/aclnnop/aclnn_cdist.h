/* SPDX-License-Identifier: Apache-2.0 */
/* Distances between the rows of two matrices. */
#ifndef OP_API_INC_CDIST_H_
#define OP_API_INC_CDIST_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The distance of each row of x1 and each of x2, as torch.cdist: the p-norm of the difference,
 * (sum |a - b|^p)^(1/p); the number of features that differ for p = 0, the largest difference for
 * infinity. A NaN gives NaN, rows without features lie at 0. Computed in double, powers of types
 * other than DOUBLE in FLOAT, and rounded once.
 *
 * - x1, x2: (..., P, M) and (..., R, M), 2 to 8 dimensions; what is in front of them is broadcast.
 *   FLOAT, FLOAT16, BF16 or DOUBLE, as out.
 * - p: at least 0.
 * - compute_mode: changes nothing; differences are always taken element by element.
 * - out: (..., P, R). */
ACLNN_API aclnnStatus aclnnCdistGetWorkspaceSize(const aclTensor *x1, const aclTensor *x2, float p,
                                                 int64_t compute_mode, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCdist(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
