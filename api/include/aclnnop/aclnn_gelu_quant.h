/* SPDX-License-Identifier: Apache-2.0 */
/* GELU as INT8. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GELU_QUANT_H_
#define OP_API_INC_LEVEL2_ACLNN_GELU_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* act = GELU(self) in FLOAT, as aclnnGeluV2.
 *
 * "static": y = round(act inputScale + inputOffset). "dynamic": r = act inputScale, outScale = max
 * |r| / 127 of a row, the last dimension, y = round(r / outScale); inputOffset is not used. Ties
 * round to even, numbers beyond INT8 become its nearest end, a NaN 0, as does a row of zeros, whose
 * scale is 0.
 *
 * - self: 1 to 8 dimensions, 2 at least if dynamic, (A..., n); FLOAT, FLOAT16 or BF16.
 * - inputScaleOptional: (1) or (n), of any of these types; NULL for 1, only if dynamic.
 * - inputOffsetOptional: NULL for 0; or inputScaleOptional's shape and type.
 * - approximate: "none" or "tanh". quantMode: "static" or "dynamic". roundMode: "rint".
 * - dstType: 2, y's type.
 * - y: self's shape, INT8.
 * - outScaleOptional: if dynamic A..., FLOAT; else NULL. */
ACLNN_API aclnnStatus aclnnGeluQuantGetWorkspaceSize(
    const aclTensor *self, const aclTensor *inputScaleOptional,
    const aclTensor *inputOffsetOptional, const char *approximate, const char *quantMode,
    const char *roundMode, int64_t dstType, const aclTensor *y, const aclTensor *outScaleOptional,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGeluQuant(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
