/* SPDX-License-Identifier: Apache-2.0 */
/* Copies. */
#ifndef OP_API_INC_TENSOR_MOVE_H_
#define OP_API_INC_TENSOR_MOVE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = x, bit for bit.
 *
 * - x: any type of real numbers, BOOL too.
 * - y: of its type and shape. */
ACLNN_API aclnnStatus aclnnTensorMoveGetWorkspaceSize(const aclTensor *x, aclTensor *y,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTensorMove(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
