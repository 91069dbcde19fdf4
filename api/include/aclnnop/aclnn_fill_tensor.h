/* SPDX-License-Identifier: Apache-2.0 */
/* Fills with a tensor's element. */
#ifndef OP_API_INC_LEVEL2_ACLNN_FILL_TENSOR_H_
#define OP_API_INC_LEVEL2_ACLNN_FILL_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every element of selfRef becomes value's, as torch.Tensor.fill_.
 *
 * - selfRef: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, BOOL,
 *   COMPLEX64 or COMPLEX128.
 * - value: one element, in no or one dimension, of any of these types; cast as aclnnInplaceCopy
 *   casts. It is read when the work runs. */
ACLNN_API aclnnStatus aclnnInplaceFillTensorGetWorkspaceSize(aclTensor *selfRef,
                                                             const aclTensor *value,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceFillTensor(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
