/* SPDX-License-Identifier: Apache-2.0 */
/* Classes as vectors. */
#ifndef OP_API_INC_ONE_HOT_H_
#define OP_API_INC_ONE_HOT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i][c] = onValue if self[i] is c, else offValue, as torch.nn.functional.one_hot with values
 * of one's own. A class that is negative or not below numClasses has offValue everywhere.
 *
 * - self: UINT8, INT32 or INT64, with at most 7 dimensions.
 * - numClasses: not negative; greater than 0 if self is empty.
 * - onValue, offValue: of out's type; their first element counts.
 * - axis: where the classes stand in out's shape, from 0 to self's rank; -1: at the end.
 * - out: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL; self's shape with
 *   numClasses put in at axis. */
ACLNN_API aclnnStatus aclnnOneHotGetWorkspaceSize(const aclTensor *self, int numClasses,
                                                  const aclTensor *onValue,
                                                  const aclTensor *offValue, int64_t axis,
                                                  aclTensor *out, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnOneHot(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
