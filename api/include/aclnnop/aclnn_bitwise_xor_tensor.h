/* SPDX-License-Identifier: Apache-2.0 */
/* Bitwise xor of two tensors. */
#ifndef OP_API_INC_LEVEL2_ACLNN_BITWISE_XOR_TENSOR_H_
#define OP_API_INC_LEVEL2_ACLNN_BITWISE_XOR_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the bits of self xor those of other, as torch.bitwise_xor.
 *
 * - self, other: broadcast, and promote. INT8, INT16, INT32, INT64, UINT8 or BOOL; negative
 *   numbers are in two's complement.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnBitwiseXorTensorGetWorkspaceSize(const aclTensor *self,
                                                            const aclTensor *other, aclTensor *out,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBitwiseXorTensor(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

/* selfRef = the bits of selfRef xor those of other; other broadcasts to selfRef's shape. */
ACLNN_API aclnnStatus aclnnInplaceBitwiseXorTensorGetWorkspaceSize(aclTensor *selfRef,
                                                                   const aclTensor *other,
                                                                   uint64_t *workspaceSize,
                                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceBitwiseXorTensor(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
