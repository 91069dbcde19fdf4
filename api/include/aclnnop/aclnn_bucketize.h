/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals that numbers lie in. */
#ifndef OP_API_INC_BUCKETIZE_H_
#define OP_API_INC_BUCKETIZE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = how many boundaries are less than self[i] (right: not greater), as torch.bucketize.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - boundaries: one dimension, one of those types, ascending, which is not checked; both promote.
 * - outInt32: whether out is INT32, else INT64.
 * - right: whether equal elements are passed.
 * - out: of self's shape.
 *
 * A NaN in self stands behind all. */
ACLNN_API aclnnStatus aclnnBucketizeGetWorkspaceSize(const aclTensor *self,
                                                     const aclTensor *boundaries,
                                                     const bool outInt32, const bool right,
                                                     aclTensor *out, uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBucketize(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
