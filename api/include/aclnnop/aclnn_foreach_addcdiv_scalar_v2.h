/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: AddcdivScalarV2. */
#ifndef OP_API_INC_ACLNN_FOREACH_ADDCDIV_SCALAR_V2_H_
#define OP_API_INC_ACLNN_FOREACH_ADDCDIV_SCALAR_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes x1[i] + scalar x2[i] / x3[i].
 *
 * - x1, x2, x3: lists of as many tensors. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - scalar: a number.
 * - out: a list of as many, of the same shapes; out[i] may be an operand. */
ACLNN_API aclnnStatus aclnnForeachAddcdivScalarV2GetWorkspaceSize(
    const aclTensorList *x1, const aclTensorList *x2, const aclTensorList *x3,
    const aclScalar *scalar, aclTensorList *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachAddcdivScalarV2(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
