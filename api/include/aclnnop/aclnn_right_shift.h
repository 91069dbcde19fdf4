/* SPDX-License-Identifier: Apache-2.0 */
/* Shifts to the right. */
#ifndef OP_API_INC_RIGHT_SHIFT_H_
#define OP_API_INC_RIGHT_SHIFT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = input / 2^shiftBits, rounded towards minus infinity, as torch.bitwise_right_shift.
 *
 * - input, shiftBits: broadcast, and promote. INT8, INT16, INT32, INT64 or UINT8. A negative
 *   number of
 *   bits is taken as 0, which is CANN's rule; as many as the type has and more leave the sign: 0
 * or -1.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnRightShiftGetWorkspaceSize(const aclTensor *input,
                                                      const aclTensor *shiftBits, aclTensor *out,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRightShift(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
