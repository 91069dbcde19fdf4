/* SPDX-License-Identifier: Apache-2.0 */
/* Squares. */
#ifndef OP_API_INC_SQUARE_H_
#define OP_API_INC_SQUARE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self self.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE or an integer type. Integers wrap.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnSquareGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSquare(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
