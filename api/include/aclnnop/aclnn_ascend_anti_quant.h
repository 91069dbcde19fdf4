/* SPDX-License-Identifier: Apache-2.0 */
/* Small integers as numbers. */
#ifndef OP_API_INC_LEVEL2_ACLNN_ASCEND_ANTI_QUANT_H_
#define OP_API_INC_LEVEL2_ACLNN_ASCEND_ANTI_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = (x + offset) scale, (x + offset) scale scale with sqrtMode, each operation one of FLOAT,
 * then rounded to y's type.
 *
 * - x: 1 to 8 dimensions, INT8.
 * - scale: FLOAT, FLOAT16 or BF16, of one element or as many as x's last dimension; either one
 *   dimension, or as many as x with 1 in all others.
 * - offset: NULL for 0, else of scale's type and shape.
 * - dstType: y's type, 1 (ACL_FLOAT16) or 27 (ACL_BF16).
 * - sqrtMode: whether scale is multiplied twice.
 * - y: x's shape, FLOAT16 or BF16. */
ACLNN_API aclnnStatus aclnnAscendAntiQuantGetWorkspaceSize(
    const aclTensor *x, const aclTensor *scale, const aclTensor *offset, int64_t dstType,
    bool sqrtMode, const aclTensor *y, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAscendAntiQuant(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
