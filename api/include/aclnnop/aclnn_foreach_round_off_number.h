/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: rounding. */
#ifndef ACLNN_FOREACH_ROUND_OFF_NUMBER_H_
#define ACLNN_FOREACH_ROUND_OFF_NUMBER_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes x[i], rounded as roundMode says: 1 to the nearest integer, ties to the
 * even one (torch._foreach_round), 2 down (torch._foreach_floor), 3 up (torch._foreach_ceil), 4 to
 * the nearest, ties away from 0, 5 towards 0 (torch._foreach_trunc), 6 to the odd neighbour
 * where x[i] is no integer, 7 what is left of 5 (torch._foreach_frac). Any other one changes
 * nothing.
 *
 * - x: a list of tensors. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8;
 *   integers are left as they are, in mode 7 they become 0.
 * - roundMode: one element of one of these types, in no or one dimension; read when the work runs.
 * - out: a list of as many, of the same shapes; out[i] may be x[i]. */
ACLNN_API aclnnStatus aclnnForeachRoundOffNumberGetWorkspaceSize(const aclTensorList *x,
                                                                 const aclTensor *roundMode,
                                                                 const aclTensorList *out,
                                                                 uint64_t *workspaceSize,
                                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachRoundOffNumber(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
