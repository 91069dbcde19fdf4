/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows, each with a weight of its own. */
#ifndef OP_API_INC_GROUPED_MATMUL_H
#define OP_API_INC_GROUPED_MATMUL_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = x weight + bias, for each group of rows of x a weight of its own: the layers of a mixture of
 * experts. PyTorch has the case without quantisation as torch._grouped_mm. Three kinds, by the
 * types of x and weight:
 * - FLOAT, FLOAT16 or BF16, both the same: summed in FLOAT, rounded once; y has x's type.
 * - both INT8: sums are exact in 32 bits, which wrap beyond, then y = (sum + bias) scale with a
 *   bias of INT32, or sum scale + bias with another, each operation rounded in FLOAT. y is
 *   FLOAT16, BF16, INT8 (the nearest whole number, ties to even, from the nearest end beyond) or
 *   INT32 (the sum and the bias).
 * - x FLOAT16 or BF16, weight INT8, INT4 (two to a byte, the low half first) or INT32 (eight INT4
 *   along the last axis, the first one lowest): y = x ((weight + antiquantOffset) antiquantScale)
 *   + bias in FLOAT, rounded once; y has x's type.
 * Nothing is written that belongs to no group.
 *
 * - x, weight, y: lists of 1 to 128 tensors, all of a list of one type. Optional lists that are
 *   empty, or whose tensors have no elements, count as NULL. Weights may lie transposed;
 *   FRACTAL_NZ is taken as ND. Of INT4 one of a matrix's strides is 1, and each matrix begins at a
 *   whole byte.
 * - biasOptional: NULL, or as many tensors as weight, each (n), or (groups, n) where one weight
 *   has all matrices. FLOAT, FLOAT16 or BF16; of INT8 products INT32, or those three where y is
 *   FLOAT16 or BF16 and scaleOptional FLOAT or BF16.
 * - scaleOptional: of INT8 products, shaped as the bias: FLOAT, BF16, or UINT64 or INT64 as
 *   aclnnTransQuantParamV2 makes them (with an offset, which is added where y is INT8). NULL
 *   elsewhere and where y is INT32.
 * - offsetOptional: must be NULL.
 * - antiquantScaleOptional, antiquantOffsetOptional: of weights of INT8 and INT4, x's type, shaped
 *   as the bias, or with a dimension of equal groups of terms before the last, each of a multiple
 *   of 32 terms. The offset may be NULL.
 * - groupListOptional: an array that says where each group of rows ends: not negative, not
 *   decreasing, the last one the number of rows. NULL only where x has a tensor for each group,
 *   whose rows it must match.
 * - splitItem: 0 or 1 where y has a tensor for each group, 2 or 3 where it has one.
 * Which lists go together, with w matrices of weight:
 * - x, weight and y have a tensor each per group: x (..., k) of 2 to 6 dimensions, weight (k, n),
 *   y (..., n). No group list is needed.
 * - x (m, k), w weights (k, n), y (m, n): rows go to the weights in turn.
 * - the same with a y for each group, (rows, n), whose n may differ.
 * - x has a tensor (rows, k) for each weight, y one (m, n). */
ACLNN_API aclnnStatus aclnnGroupedMatmulGetWorkspaceSize(
    const aclTensorList *x, const aclTensorList *weight, const aclTensorList *biasOptional,
    const aclTensorList *scaleOptional, const aclTensorList *offsetOptional,
    const aclTensorList *antiquantScaleOptional, const aclTensorList *antiquantOffsetOptional,
    const aclIntArray *groupListOptional, int64_t splitItem, const aclTensorList *y,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupedMatmul(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
