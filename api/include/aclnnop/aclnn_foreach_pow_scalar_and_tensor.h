/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: PowScalarAndTensor. */
#ifndef ACLNN_FOREACH_POW_SCALAR_AND_TENSOR_H_
#define ACLNN_FOREACH_POW_SCALAR_AND_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each out[i] becomes scalar to the power x[i].
 *
 * - x: lists of as many tensors. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - scalar: a number.
 * - out: a list of as many, of the same shapes; out[i] may be an operand. */
ACLNN_API aclnnStatus aclnnForeachPowScalarAndTensorGetWorkspaceSize(const aclScalar *scalar,
                                                                     const aclTensorList *x,
                                                                     const aclTensorList *out,
                                                                     uint64_t *workspaceSize,
                                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachPowScalarAndTensor(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
