/* SPDX-License-Identifier: Apache-2.0 */
/* Whether numbers are close. */
#ifndef OP_API_INC_LEVEL2_ISCLOSE_H_
#define OP_API_INC_LEVEL2_ISCLOSE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = whether |self - other| <= atol + |rtol * other|, as torch.isclose. Equal numbers are
 * close,
 * infinite ones too; an infinite number is close to no other. Two NaNs are close if equal_nan is
 * true.
 *
 * - self, other: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL; integers are compared as FLOAT.
 * - rtol, atol: the allowed differences, relative and absolute.
 * - out: of the broadcast shape; BOOL, or any other type, which gets 1 and 0. */
ACLNN_API aclnnStatus aclnnIsCloseGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
                                                   double rtol, double atol, bool equal_nan,
                                                   aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIsClose(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
