/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest element. */
#ifndef OP_API_INC_MIN_H_
#define OP_API_INC_MIN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the smallest element of self, as torch.min.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - out: without dimensions, or with one of one element; of self's type or one that it can be cast
 *   to.
 *
 * A NaN is greater and less than every number: it is the result if there is one. An axis without
 * elements is refused. */
ACLNN_API aclnnStatus aclnnMinGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                               uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMin(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
