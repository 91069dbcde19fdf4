/* SPDX-License-Identifier: Apache-2.0 */
/* Is every element true? */
#ifndef OP_API_INC_LEVEL2_ACLNN_ALL_H_
#define OP_API_INC_LEVEL2_ACLNN_ALL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = whether no element along some axes is 0, as torch.all.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - dim: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepdim: whether the reduced axes stay, with one element.
 * - out: of self's shape without the reduced axes; BOOL, or a number that becomes 0 or 1.
 *
 * All of nothing is true. A NaN is not 0. */
ACLNN_API aclnnStatus aclnnAllGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim,
                                               bool keepdim, aclTensor *out,
                                               uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAll(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
