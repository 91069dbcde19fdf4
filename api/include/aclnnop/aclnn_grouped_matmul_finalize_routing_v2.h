/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of experts, summed for each token, with offsets of weights. */
#ifndef OP_API_INC_GROUPED_MATMUL_FINALIZE_ROUTING_V2_H
#define OP_API_INC_GROUPED_MATMUL_FINALIZE_ROUTING_V2_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnGroupedMatmulFinalizeRouting, x and w being x1 and x2, y being out, and
 *
 * - offsetOptional: NULL; or, where x2 is INT4 and its terms are one part, FLOAT (experts, n) or
 *   (experts, 1, n): p = (((x1 - 8) x2) scaleOptional + biasOptional + (the sum of x1's row)
 *   offsetOptional) pertokenScaleOptional. It is the offset of the weights times their scales.
 * - antiquantScaleOptional, antiquantOffsetOptional: must be NULL. */
ACLNN_API aclnnStatus aclnnGroupedMatmulFinalizeRoutingV2GetWorkspaceSize(
    const aclTensor *x1, aclTensor *x2, const aclTensor *scaleOptional,
    const aclTensor *biasOptional, const aclTensor *offsetOptional,
    const aclTensor *antiquantScaleOptional, const aclTensor *antiquantOffsetOptional,
    const aclTensor *pertokenScaleOptional, const aclTensor *groupListOptional,
    const aclTensor *sharedInputOptional, const aclTensor *logitOptional,
    const aclTensor *rowIndexOptional, int64_t dtype, float sharedInputWeight,
    int64_t sharedInputOffset, bool transposeX1, bool transposeX2, int64_t groupListType,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupedMatmulFinalizeRoutingV2(void *workspace, uint64_t workspaceSize,
                                                          aclOpExecutor *executor,
                                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
