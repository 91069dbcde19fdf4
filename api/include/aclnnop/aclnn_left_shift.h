/* SPDX-License-Identifier: Apache-2.0 */
/* Shifts to the left. */
#ifndef OP_API_INC_LEFT_SHIFT_H_
#define OP_API_INC_LEFT_SHIFT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self * 2^shiftBits, of which the low bits are kept, as torch.bitwise_left_shift.
 *
 * - self, shiftBits: broadcast, and promote. INT8, INT16, INT32, INT64 or UINT8. A negative number
 *   of
 *   bits, or as many as the type has and more, gives 0.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnLeftShiftGetWorkspaceSize(const aclTensor *self,
                                                     const aclTensor *shiftBits, aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLeftShift(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

/* out = self * 2^shiftBits with a scalar shiftBits, an integer, as aclnnLeftShift. */
ACLNN_API aclnnStatus aclnnLeftShiftsGetWorkspaceSize(const aclTensor *self,
                                                      const aclScalar *shiftBits, aclTensor *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLeftShifts(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
