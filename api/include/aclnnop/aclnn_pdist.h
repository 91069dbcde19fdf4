/* SPDX-License-Identifier: Apache-2.0 */
/* Distances between the rows of a matrix. */
#ifndef OP_API_INC_PDIST_H_
#define OP_API_INC_PDIST_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The distance of each pair of rows i < j, as torch.nn.functional.pdist: the p-norm of the
 * difference, (sum |a - b|^p)^(1/p); the number of features that differ for p = 0, the largest
 * difference for infinity. A NaN gives NaN, rows without features lie at 0. Computed in double,
 * powers of types other than DOUBLE in FLOAT, and rounded once.
 *
 * - self: (N, M). FLOAT, FLOAT16, BF16 or DOUBLE, as out.
 * - p: at least 0.
 * - out: (N (N - 1) / 2), the pairs (0, 1), (0, 2), ..., (1, 2), ... */
ACLNN_API aclnnStatus aclnnPdistGetWorkspaceSize(const aclTensor *self, float p, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPdist(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
