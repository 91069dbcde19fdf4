/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as small integers. */
#ifndef OP_API_INC_LEVEL2_ACLNN_ASCEND_QUANT_H_
#define OP_API_INC_LEVEL2_ACLNN_ASCEND_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = round(x scale + offset), x scale scale + offset with sqrtMode, as INT8: numbers beyond its
 * range become its nearest end, a NaN 0. Each operation is one of FLOAT, rounded.
 *
 * - x: 1 to 8 dimensions, FLOAT, FLOAT16 or BF16.
 * - scale: FLOAT, FLOAT16 or BF16, of one element or as many as x's last dimension; either one
 *   dimension, or as many as x with 1 in all others.
 * - offset: NULL for 0, else of scale's type and shape.
 * - sqrtMode: whether scale is multiplied twice.
 * - roundMode: "round" (ties to even; also NULL and ""), "ceil", "floor" or "trunc".
 * - dstType: y's type, 2 (ACL_INT8); others are refused.
 * - y: x's shape, INT8. */
ACLNN_API aclnnStatus aclnnAscendQuantGetWorkspaceSize(const aclTensor *x, const aclTensor *scale,
                                                       const aclTensor *offset, bool sqrtMode,
                                                       const char *roundMode, int32_t dstType,
                                                       const aclTensor *y, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAscendQuant(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
