/* SPDX-License-Identifier: Apache-2.0 */
/* Another shape and another order of axes. */
#ifndef OP_API_INC_LEVEL2_CONFUSION_TRANSPOSE_H_
#define OP_API_INC_LEVEL2_CONFUSION_TRANSPOSE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x reshaped to `shape`, its axes then in perm's order; with transposeFirst x's axes in
 * perm's order, then reshaped to `shape`.
 *
 * - x: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or UINT32.
 * - perm: axis i of the result of the transposition is axis perm[i] of what is transposed.
 * - shape: at most 8 sizes, of as many elements as x has.
 * - out: of x's type and the shape that follows. */
ACLNN_API aclnnStatus aclnnConfusionTransposeGetWorkspaceSize(
    const aclTensor *x, const aclIntArray *perm, const aclIntArray *shape, bool transposeFirst,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnConfusionTranspose(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
