/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows or terms, with scales of rows and activations. */
#ifndef OP_API_INC_GROUPED_MATMUL_V5_H
#define OP_API_INC_GROUPED_MATMUL_V5_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x weight + bias, for each group of rows of x a weight of its own: the layers of a mixture
 * of experts. PyTorch has the case without quantisation as torch._grouped_mm. Four kinds, by the
 * types of x and weight:
 * - FLOAT, FLOAT16 or BF16, both the same: summed in FLOAT, rounded once; out has x's type.
 * - both INT8: sums are exact in 32 bits, which wrap beyond, then out = (sum + bias) scale
 *   perTokenScale with a bias of INT32, or sum scale perTokenScale + bias with another, each
 *   operation rounded in FLOAT. out is FLOAT16, BF16, INT8 (the nearest whole number, ties to
 *   even, from the nearest end beyond) or INT32 (the sum and the bias).
 * - x FLOAT16 or BF16, weight INT8, INT4 (two to a byte, the low half first) or INT32 (eight INT4
 *   along the last axis, the first one lowest): out = x ((weight + antiquantOffset)
 *   antiquantScale) + bias in FLOAT, rounded once; out has x's type.
 * - x INT8, weight INT4 or INT32, its rows dense and of an even n, groups of rows: out = (the sum
 *   over parts of ((x - 8) weight) scale + bias + (the sum of x's row) offset) perTokenScale, sums
 *   of integers exact, else each operation rounded in FLOAT; out is FLOAT16 or BF16. The bias is
 *   to be 8 times the sums of the weight's columns times their scales: so the 8 counts for nothing.
 * Nothing is written that belongs to no group.
 *
 * - x, weight, out: lists of 1 to 128 tensors, all of a list of one type. Optional lists that are
 *   empty, or whose tensors have no elements, count as NULL. Weights may lie transposed;
 *   FRACTAL_NZ is taken as ND. Of INT4 one of a matrix's strides is 1, and each matrix begins at a
 *   whole byte.
 * - biasOptional: NULL, or as many tensors as weight, each (n), or (groups, n) where one weight
 *   has all matrices. FLOAT, FLOAT16 or BF16; of INT8 products INT32, or those three where out is
 *   FLOAT16 or BF16 and scaleOptional FLOAT or BF16. With x INT8 and weight INT4 it is FLOAT and
 *   must be given.
 * - scaleOptional: of INT8 products, shaped as the bias: FLOAT, BF16, or UINT64 or INT64 as
 *   aclnnTransQuantParamV2 makes them (with an offset, which is added where out is INT8). NULL
 *   elsewhere and where out is INT32. With weight INT4 UINT64 or INT64, whose FLOAT has 19 bits,
 *   shaped as antiquantScaleOptional.
 * - offsetOptional: NULL; or, with x INT8 and weight INT4, FLOAT, shaped as scaleOptional, which
 *   then has one part: the weights' offset times their scale.
 * - antiquantScaleOptional, antiquantOffsetOptional: of weights of INT8 and INT4, x's type, shaped
 *   as the bias, or with a dimension of equal groups of terms before the last, each of a multiple
 *   of 32 terms. The offset may be NULL.
 * - perTokenScaleOptional: NULL for 1, or one FLOAT (m), where x and out are one tensor each, out
 *   is FLOAT16 or BF16 and scaleOptional FLOAT or BF16, or weight INT4.
 * - groupListOptional: INT64 (groups), at most 1024, or as groupListType says, read on the stream:
 *   not negative, not decreasing, none beyond the number of rows (or terms). A group that breaks
 *   this is not followed, nor are those behind it: the stream's error names it. Rows behind the
 *   last group keep what out holds. NULL, or not read, only where x has a tensor for each group.
 * - groupListType: what the list holds: 0 where each group ends; 1 how many rows or terms it has;
 *   2, of rows only, INT64 (groups, 2), the number of a weight and how many rows it takes, in the
 *   order of the rows. A weight that is not there is not followed.
 * - actType: 0 none; 1 ReLU, 2 GELU by tanh, 4 fast GELU, 5 SiLU, computed in FLOAT before out is
 *   rounded, only of products of INT8 with INT8 whose out is FLOAT16 or BF16. Rows behind the last
 *   group become 0 then. 3 is refused.
 * - activationInputOptional, activationQuantScaleOptional, activationQuantOffsetOptional,
 *   activationFeatureOutOptional, dynQuantScaleOutOptional: must be NULL or empty.
 * - tuningConfigOptional: NULL, or how many rows a group is expected to have, from 0 to all of
 *   x's; not used.
 * - splitItem: 0 or 1 where out has a tensor for each group, 2 or 3 where it has one.
 * Which lists go together, with w matrices of weight:
 * - groupType -1: x, weight and out have a tensor each per group: x (..., k) of 2 to 6 dimensions,
 *   weight (k, n), out (..., n). No group list is needed.
 * - groupType 0: x (m, k), w weights (k, n), out (m, n): rows go to the weights in turn.
 * - groupType 0: x has a tensor (rows, k) for each weight, out one (m, n).
 * - groupType 0: one weight (w, k, n) has the matrices of all groups of x (m, k), out (m, n).
 * - groupType 2: groups of the k terms: x (m, k), weight (k, n), out (groups, m, n), of FLOAT,
 *   FLOAT16 and BF16, without bias. x and weight may have any strides. */
ACLNN_API aclnnStatus aclnnGroupedMatmulV5GetWorkspaceSize(
    const aclTensorList *x, const aclTensorList *weight, const aclTensorList *biasOptional,
    const aclTensorList *scaleOptional, const aclTensorList *offsetOptional,
    const aclTensorList *antiquantScaleOptional, const aclTensorList *antiquantOffsetOptional,
    const aclTensorList *perTokenScaleOptional, const aclTensor *groupListOptional,
    const aclTensorList *activationInputOptional, const aclTensorList *activationQuantScaleOptional,
    const aclTensorList *activationQuantOffsetOptional, int64_t splitItem, int64_t groupType,
    int64_t groupListType, int64_t actType, aclIntArray *tuningConfigOptional, aclTensorList *out,
    aclTensorList *activationFeatureOutOptional, aclTensorList *dynQuantScaleOutOptional,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupedMatmulV5(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
