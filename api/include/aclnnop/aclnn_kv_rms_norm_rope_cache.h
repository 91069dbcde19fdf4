/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values in one tensor: normalized, turned and put into two caches. */
#ifndef ACLNN_KV_RMS_NORM_ROPE_CACHE_H_
#define ACLNN_KV_RMS_NORM_ROPE_CACHE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of each row x of kv, Dv the size of gamma and Dk what is left, in FLOAT, each operation rounded:
 *     v = x[:Dv] / sqrt(mean of x[:Dv]^2 + epsilon) * gamma             the root in DOUBLE
 *     k = x[Dv:] as aclnnInterleaveRope turns it
 * They go to ckvCacheRef and kCacheRef, rounded to kv's type, or as INT8: whole(v * scale +
 * offset), the nearest integer, ties to even, from -128 to 127, of a NaN 0.
 *
 * index says where the row of sequence b and place s goes; -1 leaves it out, another number that is
 * no row is not followed: the stream's error names it. Of rows that go to one place the last stays.
 *
 * cacheModeOptional: NULL is "Norm".
 * - "Norm": caches (sequences, N, rows, D); row index[b][s] of sequence b.
 * - "PA", "PA_BNSD": caches (blocks, rows, N, D), a slot is row slot % rows of block slot / rows;
 *   slot index[b Skv + s].
 * - "PA_NZ": the same, and a dense block lies as (N, D / d, rows, d), d elements of 32 bytes.
 * - "PA_BLK_BNSD", "PA_BLK_NZ": index[b ceil(Skv / rows) + s / rows] is a slot of the block, whose
 *   row s % rows it is.
 *
 * - kv: FLOAT, FLOAT16 or BF16, (Bkv, N, Skv, Dv + Dk), Dk even.
 * - gamma: kv's type, (Dv).
 * - cos, sin: kv's type, (Bkv, 1, Skv, Dk) or (Bkv, 1, 1, Dk).
 * - index: INT64, (Bkv, Skv) with "Norm", else as many elements as above.
 * - kCacheRef, ckvCacheRef: kv's type or INT8. FP8 and HIF8 are refused.
 * - kRopeScaleOptional, cKvScaleOptional, kRopeOffsetOptional, cKvOffsetOptional: FLOAT, (1), (D)
 * or (N, D); a scale is needed with INT8, an offset is 0 where it is NULL.
 * - isOutputKv: whether kRopeOut and cKvOut, of kv's type, (Bkv, N, Skv, D), are written too. */
ACLNN_API aclnnStatus aclnnKvRmsNormRopeCacheGetWorkspaceSize(
    const aclTensor *kv, const aclTensor *gamma, const aclTensor *cos, const aclTensor *sin,
    const aclTensor *index, aclTensor *kCacheRef, aclTensor *ckvCacheRef,
    const aclTensor *kRopeScaleOptional, const aclTensor *cKvScaleOptional,
    const aclTensor *kRopeOffsetOptional, const aclTensor *cKvOffsetOptional, double epsilon,
    char *cacheModeOptional, bool isOutputKv, const aclTensor *kRopeOut, const aclTensor *cKvOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnKvRmsNormRopeCache(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
