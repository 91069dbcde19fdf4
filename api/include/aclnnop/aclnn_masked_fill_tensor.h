/* SPDX-License-Identifier: Apache-2.0 */
/* Fills from a tensor where a mask is set. */
#ifndef OP_API_INC_MASKEF_FILL_TENSOR_H_
#define OP_API_INC_MASKEF_FILL_TENSOR_H_

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
 * - value: of any shape that broadcasts to selfRef's, mostly one element; the type that it and
 *   selfRef
 *   promote to must be one that can be cast to selfRef's. */
ACLNN_API aclnnStatus aclnnInplaceMaskedFillTensorGetWorkspaceSize(aclTensor *selfRef,
                                                                   const aclTensor *mask,
                                                                   const aclTensor *value,
                                                                   uint64_t *workspaceSize,
                                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceMaskedFillTensor(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
