/* SPDX-License-Identifier: Apache-2.0 */
/* What the experts made, summed for each token, in any order of the rows. */
#ifndef ACLNN_MOE_FINALIZE_ROUTING_V2_H_
#define ACLNN_MOE_FINALIZE_ROUTING_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = x1[i] + x2[i] + sum over j of scales[i][j] (expandedX[place(i, j)] +
 * bias[expertIdx[i][j]]), place(i, j) = expandedRowIdx[j rows + i] with dropPadMode 0 and 1,
 * expandedRowIdx[i k + j] with 2 and 3. Summed in FLOAT in the order of the picks, rounded once.
 *
 * - expandedX: FLOAT, FLOAT16 or BF16, (n, columns); with dropPadMode 1 and 3 also (experts,
 *   capacity, columns), whose rows are counted together.
 * - expandedRowIdx: INT32, rows * k elements in any shape. -1, and numbers from n on, below rows *
 *   k, stand for a row of zeros; others that are no row are the stream's error.
 * - x1Optional, x2Optional: NULL for 0, or expandedX's type, (rows, columns).
 * - biasOptional: NULL for 0, or expandedX's type, (experts, columns); then expertIdxOptional is
 *   needed.
 * - scalesOptional: NULL for 1, and k is 1, or FLOAT, FLOAT16 or BF16, (rows, k).
 * - expertIdxOptional: NULL, or INT32, (rows, k). With a bias, a number that is no row of it is
 *   the stream's error.
 * - dropPadMode: 0 to 3.
 * - out: expandedX's type, (rows, columns). */
ACLNN_API aclnnStatus aclnnMoeFinalizeRoutingV2GetWorkspaceSize(
    const aclTensor *expandedX, const aclTensor *expandedRowIdx, const aclTensor *x1Optional,
    const aclTensor *x2Optional, const aclTensor *biasOptional, const aclTensor *scalesOptional,
    const aclTensor *expertIdxOptional, int64_t dropPadMode, const aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeFinalizeRoutingV2(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
