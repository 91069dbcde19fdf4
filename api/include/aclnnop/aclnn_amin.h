/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest elements along some axes. */
#ifndef OP_API_INC_AMIN_H_
#define OP_API_INC_AMIN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the smallest of self's elements along some axes, as torch.amin.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - dim: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepDim: whether the reduced axes stay, with one element.
 * - out: of self's shape without the reduced axes; of self's type or one that it can be cast to.
 *
 * A NaN is greater and less than every number: it is the result if there is one. An axis without
 * elements is refused. */
ACLNN_API aclnnStatus aclnnAminGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim,
                                                bool keepDim, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAmin(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
