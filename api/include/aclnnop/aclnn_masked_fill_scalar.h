/* SPDX-License-Identifier: Apache-2.0 */
/* Fills where a mask is set. */
#ifndef OP_API_INC_MASKEF_FILL_SCALAR_H_
#define OP_API_INC_MASKEF_FILL_SCALAR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selfRef = value where mask is not 0, as torch.Tensor.masked_fill_.
 *
 * - selfRef: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128.
 * - mask: BOOL or UINT8; broadcasts to selfRef's shape.
 * - value: a scalar of any type; it becomes selfRef's: integers lose its fraction and wrap. */
ACLNN_API aclnnStatus aclnnInplaceMaskedFillScalarGetWorkspaceSize(aclTensor *selfRef,
                                                                   const aclTensor *mask,
                                                                   const aclScalar *value,
                                                                   uint64_t *workspaceSize,
                                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceMaskedFillScalar(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
