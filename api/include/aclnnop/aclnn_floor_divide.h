/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients rounded down. */
#ifndef OP_API_INC_FLOORDIVIDE_H_
#define OP_API_INC_FLOORDIVIDE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the quotient of self and other, rounded towards minus infinity, as torch.floor_divide.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL.
 * - out: of the broadcast shape.
 *
 * The quotient of floating numbers is that of which the remainder is exact; a division by 0 gives
 * an
 * infinity or a NaN. An integer division by 0 gives all ones (-1, 255 of UINT8), the least integer
 * by -1 itself. */
ACLNN_API aclnnStatus aclnnFloorDivideGetWorkspaceSize(const aclTensor *self,
                                                       const aclTensor *other, aclTensor *out,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFloorDivide(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

/* out = the quotient of self and a scalar other, rounded down, as aclnnFloorDivide. */
ACLNN_API aclnnStatus aclnnFloorDividesGetWorkspaceSize(const aclTensor *self,
                                                        const aclScalar *other, aclTensor *out,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFloorDivides(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

/* selfRef = the quotient of selfRef and other, rounded down; other broadcasts to selfRef's shape.
 */
ACLNN_API aclnnStatus aclnnInplaceFloorDivideGetWorkspaceSize(aclTensor *selfRef,
                                                              const aclTensor *other,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceFloorDivide(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

/* selfRef = the quotient of selfRef and a scalar other, rounded down. */
ACLNN_API aclnnStatus aclnnInplaceFloorDividesGetWorkspaceSize(aclTensor *selfRef,
                                                               const aclScalar *other,
                                                               uint64_t *workspaceSize,
                                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceFloorDivides(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
