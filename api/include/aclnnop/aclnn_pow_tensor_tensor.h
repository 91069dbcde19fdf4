/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of two tensors. */
#ifndef OP_API_INC_LEVEL2_ACLNN_POW_TENSOR_TENSOR_H_
#define OP_API_INC_LEVEL2_ACLNN_POW_TENSOR_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self to the power of exponent, as torch.pow.
 *
 * - self, exponent: broadcast, and promote. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32,
 *   INT64, UINT8, BOOL, COMPLEX64 or COMPLEX128.
 * - out: of the broadcast shape.
 *
 * Integers wrap; a negative exponent leaves 1 of 1, 1 or -1 of -1, and 0 of others. Floating
 * numbers have
 * the special values of C's pow. */
ACLNN_API aclnnStatus aclnnPowTensorTensorGetWorkspaceSize(const aclTensor *self,
                                                           const aclTensor *exponent,
                                                           aclTensor *out, uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPowTensorTensor(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

/* self = self to the power of exponent, as aclnnPowTensorTensor; exponent broadcasts to self's
 * shape. */
ACLNN_API aclnnStatus aclnnInplacePowTensorTensorGetWorkspaceSize(const aclTensor *self,
                                                                  const aclTensor *exponent,
                                                                  uint64_t *workspaceSize,
                                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplacePowTensorTensor(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
