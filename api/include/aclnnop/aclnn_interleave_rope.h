/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary embeddings of pairs that lie side by side, brought to both halves. */
#ifndef ACLNN_INTERLEAVE_ROPE_H_
#define ACLNN_INTERLEAVE_ROPE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With q[i] = x[2 i] and q[D / 2 + i] = x[2 i + 1] along the last axis:
 *     out[i] = q[i] cos[i] - q[D / 2 + i] sin[i]
 *     out[D / 2 + i] = q[D / 2 + i] cos[D / 2 + i] + q[i] sin[D / 2 + i]
 * That is aclnnRotaryPositionEmbedding with mode 3. Computed in DOUBLE and rounded once.
 *
 * - x: FLOAT, FLOAT16, BF16 or DOUBLE, 1 to 8 dimensions, the last one even.
 * - cos, sin: one shape, whose axes are those of x or have one element, the last one x's.
 * - out: x's shape. */
ACLNN_API aclnnStatus aclnnInterleaveRopeGetWorkspaceSize(const aclTensor *x, const aclTensor *cos,
                                                          const aclTensor *sin, aclTensor *out,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInterleaveRope(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
