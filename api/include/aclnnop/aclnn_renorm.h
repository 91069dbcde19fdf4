/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of bounded norm. */
#ifndef OP_API_INC_RENORM_H_
#define OP_API_INC_RENORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each slice of one index along an axis whose norm of order p is more than maxNorm is multiplied
 * by maxNorm / (norm + 1e-7), as torch.renorm; others stay.
 *
 * - self: 2 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - p: the order, 0 at least: 0 counts elements that are not 0, infinity takes the greatest
 *   magnitude.
 * - dim: the axis, from -rank to rank - 1.
 * - maxNorm: the bound, 0 at least.
 * - out: of self's shape; may be self. */
ACLNN_API aclnnStatus aclnnRenormGetWorkspaceSize(const aclTensor *self, const aclScalar *p,
                                                  int64_t dim, const aclScalar *maxNorm,
                                                  aclTensor *out, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRenorm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

/* The same in place.
 *
 * - selfRef: 2 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - p, dim, maxNorm: as above. */
ACLNN_API aclnnStatus aclnnInplaceRenormGetWorkspaceSize(aclTensor *selfRef, const aclScalar *p,
                                                         int64_t dim, const aclScalar *maxNorm,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceRenorm(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
