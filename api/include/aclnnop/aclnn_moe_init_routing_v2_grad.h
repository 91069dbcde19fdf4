/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of what aclnnMoeInitRoutingV2 makes. */
#ifndef ACLNN_MOE_INIT_ROUTING_V2GRAD_H_
#define ACLNN_MOE_INIT_ROUTING_V2GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = sum over j < topK of gradExpandedX[expandedRowIdx[i topK + j]]: what the copies of a
 * token give, added. Summed in FLOAT from left to right and rounded once. A place of -1 (a token
 * that found no slot), or behind gradExpandedX but below rows topK (one that was not active), adds
 * nothing. Any other place that is not there is not followed: the stream's error names it.
 *
 * - gradExpandedX: (count, h), with dropPadMode 1 (experts, capacity, h) too; FLOAT, FLOAT16 or
 *   BF16.
 * - expandedRowIdx: INT32, rows topK elements, as aclnnMoeInitRoutingV2 makes them.
 * - topK: at least 1; divides expandedRowIdx's elements.
 * - dropPadMode: 0 or 1, as the forward function had it.
 * - activeNum: not negative; gradExpandedX's shape says what it would.
 * - out: (rows, h), gradExpandedX's type. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingV2GradGetWorkspaceSize(
    const aclTensor *gradExpandedX, const aclTensor *expandedRowIdx, int64_t topK,
    int64_t dropPadMode, int64_t activeNum, const aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMoeInitRoutingV2Grad(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
