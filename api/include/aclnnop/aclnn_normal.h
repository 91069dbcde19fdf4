/* SPDX-License-Identifier: Apache-2.0 */
/* Normal random numbers in place. */
#ifndef OP_API_INC_NORMAL_H_
#define OP_API_INC_NORMAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selfRef = mean + std * z with z of the standard normal distribution, as selfRef.normal_(mean,
 * std).
 *
 * - selfRef: any shape of 0 to 8 dimensions, any strides; only written. FLOAT, FLOAT16, BF16 or
 *   DOUBLE.
 * - std: not negative.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnInplaceNormalGetWorkspaceSize(const aclTensor *selfRef, float mean,
                                                         float std, int64_t seed, int64_t offset,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceNormal(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

/* The same as aclnnInplaceNormal, with the seed from memory.
 *
 * - seedTensor, offsetTensor: one element of INT64 or UINT64 each, read when the stream comes
 *   here: the seed, and what is added to offset. */
ACLNN_API aclnnStatus aclnnInplaceNormalTensorGetWorkspaceSize(
    const aclTensor *selfRef, float mean, float std, const aclTensor *seedTensor,
    const aclTensor *offsetTensor, int64_t offset, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceNormalTensor(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
