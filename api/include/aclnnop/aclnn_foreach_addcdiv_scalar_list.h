/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: AddcdivScalarList. */
#ifndef ACLNN_FOREACH_ADDCDIV_SCALAR_LIST_H_
#define ACLNN_FOREACH_ADDCDIV_SCALAR_LIST_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes x1[i] + scalars[i] x2[i] / x3[i].
 *
 * - x1, x2, x3: lists of as many tensors. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - scalars: a tensor of one of these types with as many elements as the lists have tensors; read
 *   when the work runs.
 * - out: a list of as many, of the same shapes; out[i] may be an operand. */
ACLNN_API aclnnStatus aclnnForeachAddcdivScalarListGetWorkspaceSize(
    const aclTensorList *x1, const aclTensorList *x2, const aclTensorList *x3,
    const aclTensor *scalars, const aclTensorList *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachAddcdivScalarList(void *workspace, uint64_t workspaceSize,
                                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
