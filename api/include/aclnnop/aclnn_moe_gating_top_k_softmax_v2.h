/* SPDX-License-Identifier: Apache-2.0 */
/* The experts that each token goes to, with the softmax itself. */
#ifndef ACLNN_MOE_GATING_TOP_KSOFTMAX_V2_H_
#define ACLNN_MOE_GATING_TOP_KSOFTMAX_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* renorm 0: yOut are the k largest elements of softmax(x) along the last axis. renorm 1: the
 * softmax of the k largest elements of x. The largest first, of equal ones the one of lower number
 * first; a NaN is larger than all. Computed in FLOAT, rounded once.
 *
 * - x: FLOAT, FLOAT16 or BF16, (..., experts), rank 1 to 8, any strides.
 * - finishedOptional: NULL, or BOOL of x's shape without the last axis: rows whose expertIdxOut is
 *   the number of experts.
 * - k: 1 to 1024, at most the number of experts.
 * - renorm: 0 or 1.
 * - outputSoftmaxResultFlag: whether softmaxResultOutOptional is written; with renorm 1 it never
 *   is.
 * - yOut: x's type, (..., k).
 * - expertIdxOut: INT32, (..., k), numbers of experts.
 * - softmaxResultOutOptional: NULL, or FLOAT of x's shape: softmax(x). */
ACLNN_API aclnnStatus aclnnMoeGatingTopKSoftmaxV2GetWorkspaceSize(
    const aclTensor *x, const aclTensor *finishedOptional, int64_t k, int64_t renorm,
    bool outputSoftmaxResultFlag, const aclTensor *yOut, const aclTensor *expertIdxOut,
    const aclTensor *softmaxResultOutOptional, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeGatingTopKSoftmaxV2(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
