/* SPDX-License-Identifier: Apache-2.0 */
/* Random whole numbers. */
#ifndef OP_API_INC_LEVEL2_ACLNN_RANDOM_H_
#define OP_API_INC_LEVEL2_ACLNN_RANDOM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selfRef = whole numbers, each of from ... to - 1 equally likely, as selfRef.random_(from, to).
 *
 * - selfRef: any shape of 0 to 8 dimensions, any strides; only written. FLOAT, FLOAT16, BF16 or
 *   DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - from, to: from is less; the type has all numbers between: of floating types those up to the
 *   last that has no gap before it.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnInplaceRandomGetWorkspaceSize(const aclTensor *selfRef, int64_t from,
                                                         int64_t to, int64_t seed, int64_t offset,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceRandom(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

/* The same as aclnnInplaceRandom, with the seed from memory.
 *
 * - seedTensor, offsetTensor: one element of INT64 or UINT64 each, read when the stream comes
 *   here: the seed, and what is added to offset. */
ACLNN_API aclnnStatus aclnnInplaceRandomTensorGetWorkspaceSize(
    const aclTensor *selfRef, int64_t from, int64_t to, const aclTensor *seedTensor,
    const aclTensor *offsetTensor, int64_t offset, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceRandomTensor(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

/* The same from 0 to the largest number of the type, as selfRef.random_(); of floating types to
 * the last that has no gap before it.
 *
 * - selfRef: as that of aclnnInplaceRandom.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnInplaceRandomWithoutFromToGetWorkspaceSize(const aclTensor *selfRef,
                                                                      int64_t seed, int64_t offset,
                                                                      uint64_t *workspaceSize,
                                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceRandomWithoutFromTo(void *workspace, uint64_t workspaceSize,
                                                      aclOpExecutor *executor, aclrtStream stream);

/* The same as aclnnInplaceRandomWithoutFromTo, with the seed from memory.
 *
 * - seedTensor, offsetTensor: one element of INT64 or UINT64 each, read when the stream comes
 *   here: the seed, and what is added to offset. */
ACLNN_API aclnnStatus aclnnInplaceRandomWithoutFromToTensorGetWorkspaceSize(
    const aclTensor *selfRef, const aclTensor *seedTensor, const aclTensor *offsetTensor,
    int64_t offset, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceRandomWithoutFromToTensor(void *workspace, uint64_t workspaceSize,
                                                            aclOpExecutor *executor,
                                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
