/* SPDX-License-Identifier: Apache-2.0 */
/* Masks of dropout: bit i % 8 of byte i / 8 is 1 if element i stays. */
#ifndef OP_API_INC_DROPOUT_GEN_MASK_H_
#define OP_API_INC_DROPOUT_GEN_MASK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each bit is 0 with probability prob.
 *
 * - shape: of the tensor that is masked.
 * - prob: from 0 to 1.
 * - out: UINT8, any strides: (n + 127) / 128 * 16 bytes for n elements.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnDropoutGenMaskGetWorkspaceSize(const aclIntArray *shape, double prob,
                                                          int64_t seed, int64_t offset,
                                                          aclTensor *out, uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDropoutGenMask(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

/* The same.
 *
 * - shape, prob: as those of aclnnDropoutGenMask.
 * - probDataType: a floating type; has no say.
 * - out: UINT8, any strides: (n + 127) / 128 * 16 bytes for n elements.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnDropoutGenMaskV2GetWorkspaceSize(const aclIntArray *shape, double prob,
                                                            int64_t seed, int64_t offset,
                                                            aclDataType probDataType,
                                                            aclTensor *out, uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDropoutGenMaskV2(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

/* The same as aclnnDropoutGenMaskV2, with the seed from memory.
 *
 * - seedTensor, offsetTensor: one element of INT64 or UINT64 each, read when the stream comes
 *   here: the seed, and what is added to offset. */
ACLNN_API aclnnStatus aclnnDropoutGenMaskV2TensorGetWorkspaceSize(
    const aclIntArray *shape, double prob, const aclTensor *seedTensor,
    const aclTensor *offsetTensor, int64_t offset, aclDataType probDataType, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDropoutGenMaskV2Tensor(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
