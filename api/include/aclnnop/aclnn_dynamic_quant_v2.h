/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as small integers, with a scale, and perhaps an offset, for each row that are made of
 * it. */
#ifndef ACLNN_DYNAMIC_QUANT_V2_H_
#define ACLNN_DYNAMIC_QUANT_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each row, the last dimension of x, is scaled by numbers of its own. low and high are the ends of
 * the integers, -128 and 127, of INT4 -8 and 7; r = x smooth.
 * - offsetOut NULL: scaleOut = max |r| / high, yOut = round(r / scaleOut).
 * - else: scaleOut = (max r - min r) / (high - low), offsetOut = high - max r / scaleOut, yOut =
 *   round(r / scaleOut + offsetOut).
 * Ties round to even; each operation is one of FLOAT. Beyond the ends yOut is the nearest one, 0
 * from a NaN. A row of equal numbers has scale 0 with an offset that is not finite, or, without an
 * offset where all are 0, integers 0.
 *
 * - x: 2 to 8 dimensions, FLOAT16 or BF16.
 * - smoothScalesOptional: NULL for 1; or FLOAT, FLOAT16 or BF16, one dimension, as many as x's
 *   last; with groupIndexOptional (experts, x's last).
 * - groupIndexOptional: NULL; or INT32 (experts), at most 1024: where the rows of each expert end,
 *   rows being all dimensions of x but the last in one. A row is smoothed by the first expert
 *   whose rows end behind it. A row behind all of them becomes zeros, and the stream's error names
 *   it.
 * - dstType: yOut's type: 2 (INT8), 29 (INT4) or 3 (INT32).
 * - yOut: x's shape, INT8; or INT4, two to a byte, the low half first, dense, of an even last
 *   dimension; or INT32, each of which holds eight INT4, of an eighth of x's last dimension.
 * - scaleOut, offsetOut: x's shape less the last dimension, FLOAT. offsetOut may be NULL. */
ACLNN_API aclnnStatus aclnnDynamicQuantV2GetWorkspaceSize(
    const aclTensor *x, const aclTensor *smoothScalesOptional, const aclTensor *groupIndexOptional,
    int64_t dstType, const aclTensor *yOut, const aclTensor *scaleOut, const aclTensor *offsetOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDynamicQuantV2(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
