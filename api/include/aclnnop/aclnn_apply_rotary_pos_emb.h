/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings of queries and keys, in place. */
#ifndef ACLNN_APPLY_ROTARY_POS_EMB_H_
#define ACLNN_APPLY_ROTARY_POS_EMB_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Both become x cos + rotated(x) sin along the last axis, rotated(x) = (-x2, x1) of the row's
 * halves.
 *
 * - queryRef, keyRef: read and written; the last of their dimensions has at most 4096 elements, an
 *   even number; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - cos, sin: of as many dimensions, whose sizes are those of queryRef and keyRef or 1, the last
 *   one theirs.
 * - layout: 1 (BSND), 2 (SBND), 3 (BNSD) or 4 (TND): the names of the axes, which make no
 *   difference here. */
ACLNN_API aclnnStatus aclnnApplyRotaryPosEmbGetWorkspaceSize(aclTensor *queryRef, aclTensor *keyRef,
                                                             const aclTensor *cos,
                                                             const aclTensor *sin, int64_t layout,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnApplyRotaryPosEmb(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

/* The same with a choice of rotation.
 *
 * - queryRef, keyRef: read and written; the last of their dimensions has at most 4096 elements, an
 *   even number; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - cos, sin: of as many dimensions, whose sizes are those of queryRef and keyRef or 1, the last
 *   one theirs.
 * - layout: 1 (BSND), 2 (SBND), 3 (BNSD) or 4 (TND): the names of the axes, which make no
 *   difference here.
 * - rotaryMode: "half", "interleave" (pairs of neighbours) or "quarter" (the halves of each half).
 */
ACLNN_API aclnnStatus aclnnApplyRotaryPosEmbV2GetWorkspaceSize(
    aclTensor *queryRef, aclTensor *keyRef, const aclTensor *cos, const aclTensor *sin,
    int64_t layout, char *rotaryMode, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnApplyRotaryPosEmbV2(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
