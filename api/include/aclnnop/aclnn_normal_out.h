/* SPDX-License-Identifier: Apache-2.0 */
/* Normal random numbers: out = mean + std * z with z of the standard normal distribution, as
 * torch.normal. Tensors are expanded to out's shape. */
#ifndef OP_API_INC_NORMAL_OUT_H_
#define OP_API_INC_NORMAL_OUT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = mean + std * z, mean a tensor, std a tensor.
 *
 * - mean: any strides; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - std: any strides; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnNormalTensorTensorGetWorkspaceSize(const aclTensor *mean,
                                                              const aclTensor *std, int64_t seed,
                                                              int64_t offset, aclTensor *out,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNormalTensorTensor(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

/* out = mean + std * z, mean a tensor, std a number.
 *
 * - mean: any strides; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - std: not negative.
 * - out: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnNormalTensorFloatGetWorkspaceSize(const aclTensor *mean, float std,
                                                             int64_t seed, int64_t offset,
                                                             aclTensor *out,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNormalTensorFloat(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

/* out = mean + std * z, mean a number, std a tensor.
 *
 * - mean: the mean.
 * - std: any strides; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnNormalFloatTensorGetWorkspaceSize(float mean, const aclTensor *std,
                                                             int64_t seed, int64_t offset,
                                                             aclTensor *out,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNormalFloatTensor(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

/* out = mean + std * z, mean a number, std a number.
 *
 * - mean: the mean.
 * - std: not negative.
 * - out: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnNormalFloatFloatGetWorkspaceSize(float mean, float std, int64_t seed,
                                                            int64_t offset, aclTensor *out,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnNormalFloatFloat(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
