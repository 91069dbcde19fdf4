/* SPDX-License-Identifier: Apache-2.0 */
/* What the experts made, summed for each token. */
#ifndef ACLNN_MOE_FINALIZE_ROUTING_H_
#define ACLNN_MOE_FINALIZE_ROUTING_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = x1[i] + x2[i] + sum over j of scales[i][j] (expandedX[expandedRowIdx[j rows + i]] +
 * bias[expandedExpertIdx[i][j]]). Summed in FLOAT in the order of the picks, rounded once.
 *
 * - expandedX: FLOAT, FLOAT16 or BF16, (n, columns).
 * - x1: x's type, (rows, columns). x2Optional: NULL for 0, or the same.
 * - bias: x's type, (experts, columns).
 * - scales: FLOAT, FLOAT16 or BF16, (rows, k).
 * - expandedRowIdx: INT32, rows * k elements in any shape. Numbers from n on, below rows * k,
 *   stand for a row of zeros; others that are no row are the stream's error.
 * - expandedExpertIdx: INT32, (rows, k). A number that is no row of bias is the stream's error.
 * - out: x's type, (rows, columns). */
ACLNN_API aclnnStatus aclnnMoeFinalizeRoutingGetWorkspaceSize(
    const aclTensor *expandedX, const aclTensor *x1, const aclTensor *x2Optional,
    const aclTensor *bias, const aclTensor *scales, const aclTensor *expandedRowIdx,
    const aclTensor *expandedExpertIdx, const aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeFinalizeRouting(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
