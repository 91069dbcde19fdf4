/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices with a weight of small integers. */
#ifndef OP_API_INC_LEVEL2_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V3_H_
#define OP_API_INC_LEVEL2_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = x ANTIQUANT(weight) + bias with ANTIQUANT(weight) = (weight + antiquantOffset)
 * antiquantScale. Integers, scales and x are taken to FLOAT, multiplied and added there, and the
 * result is rounded once.
 *
 * - x: (m, k), FLOAT16 or BF16, any strides. k at least 1.
 * - weight: (k, n), INT8 with any strides, or INT4: two to a byte, the element of even number in
 *   the low half, numbers counted by strides and offset as those of other types; one of its
 *   strides must be 1 and its offset even. Speed is best where a column's elements lie side by
 *   side (strides (1, k)).
 * - antiquantScale: of x's type. (1), (1, 1): one for all; (n), (1, n): one per column; with
 *   antiquantGroupSize g > 0 (ceil(k / g), n), one per column and g rows of the weight. Any
 *   strides.
 * - antiquantOffsetOptional: NULL for 0, else of x's type and antiquantScale's shape.
 * - quantScaleOptional, quantOffsetOptional: must be NULL; an INT8 result is refused.
 * - biasOptional: NULL, or (n) or (1, n) of FLOAT, FLOAT16 or BF16.
 * - antiquantGroupSize: 0, or a multiple of 32.
 * - innerPrecise: 0 or 1, without effect: it is always the precise one.
 * - y: (m, n), of x's type, any strides. */
ACLNN_API aclnnStatus aclnnWeightQuantBatchMatmulV3GetWorkspaceSize(
    const aclTensor *x, const aclTensor *weight, const aclTensor *antiquantScale,
    const aclTensor *antiquantOffsetOptional, const aclTensor *quantScaleOptional,
    const aclTensor *quantOffsetOptional, const aclTensor *biasOptional, int antiquantGroupSize,
    int innerPrecise, const aclTensor *y, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnWeightQuantBatchMatmulV3(void *workspace, uint64_t workspaceSize,
                                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
