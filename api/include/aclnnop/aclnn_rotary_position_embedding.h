/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings. */
#ifndef OP_API_INC_ROTARY_POSITION_EMBEDDING_H_
#define OP_API_INC_ROTARY_POSITION_EMBEDDING_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x cos + rotated(x) sin along the last axis. Computed in double, rounded once.
 *
 * - x: 1 to 8 dimensions, the last of at most 4096 elements, an even number (mode 2: a multiple of
 *   4); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - cos, sin: of x's shape; all sizes but the last may be 1.
 * - mode: 0 (half): (x1, x2) of the row's halves becomes (-x2, x1). 1 (interleave): the same of
 *   each pair of neighbours. 2 (quarter): the same of the halves of each half. 3 (interleave-
 *   half): the row's even elements, then its odd ones, are x1 and x2; cos is multiplied by (x1,
 *   x2), not by x.
 * - out: of x's shape; may be x. */
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingGetWorkspaceSize(
    const aclTensor *x, const aclTensor *cos, const aclTensor *sin, int64_t mode,
    const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRotaryPositionEmbedding(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

/* out = x cos + rotated(x) sin along the last axis. Computed in double, rounded once.
 *
 * - x: 1 to 8 dimensions, the last of at most 4096 elements, an even number (mode 2: a multiple of
 *   4); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - cos, sin: of x's shape; all sizes but the last may be 1.
 * - mode: 0 (half): (x1, x2) of the row's halves becomes (-x2, x1). 1 (interleave): the same of
 *   each pair of neighbours. 2 (quarter): the same of the halves of each half. 3 (interleave-
 *   half): the row's even elements, then its odd ones, are x1 and x2; cos is multiplied by (x1,
 *   x2), not by x.
 * - rotate: must be NULL: no other rotations.
 * - out: of x's shape; may be x. */
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingV2GetWorkspaceSize(
    const aclTensor *x, const aclTensor *cos, const aclTensor *sin, int64_t mode,
    const aclTensor *rotate, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRotaryPositionEmbeddingV2(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
