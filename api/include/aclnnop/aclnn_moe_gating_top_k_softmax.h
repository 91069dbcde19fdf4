/* SPDX-License-Identifier: Apache-2.0 */
/* The experts that each token goes to. */
#ifndef ACLNN_MOE_GATING_TOP_KSOFTMAX_H_
#define ACLNN_MOE_GATING_TOP_KSOFTMAX_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* yOut are the k largest elements of softmax(x) along the last axis, the largest first, of equal
 * ones the one of lower number first; a NaN is larger than all. Computed in FLOAT, rounded once.
 * They are chosen by x itself, so rounding of the softmax makes no ties.
 *
 * - x: FLOAT, FLOAT16 or BF16, (..., experts), rank 1 to 8, any strides.
 * - finishedOptional: NULL, or BOOL of x's shape without the last axis: rows whose expertIdxOut is
 *   the number of experts.
 * - k: 1 to 1024, at most the number of experts.
 * - yOut: x's type, (..., k).
 * - expertIdxOut: INT32, (..., k), numbers of experts.
 * - rowIdxOut: INT32, (..., k): pick j of row i has j * rows + i. */
ACLNN_API aclnnStatus aclnnMoeGatingTopKSoftmaxGetWorkspaceSize(
    const aclTensor *x, const aclTensor *finishedOptional, int64_t k, const aclTensor *yOut,
    const aclTensor *expertIdxOut, const aclTensor *rowIdxOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeGatingTopKSoftmax(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
