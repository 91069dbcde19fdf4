/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of experts, summed for each token, with offsets of weights. */
#ifndef OP_API_INC_GROUPED_MATMUL_FINALIZE_ROUTING_V3_H
#define OP_API_INC_GROUPED_MATMUL_FINALIZE_ROUTING_V3_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnGroupedMatmulFinalizeRoutingV2; tuningConfigOptional is not used. */
ACLNN_API aclnnStatus aclnnGroupedMatmulFinalizeRoutingV3GetWorkspaceSize(
    const aclTensor *x1, aclTensor *x2, const aclTensor *scaleOptional,
    const aclTensor *biasOptional, const aclTensor *offsetOptional,
    const aclTensor *antiquantScaleOptional, const aclTensor *antiquantOffsetOptional,
    const aclTensor *pertokenScaleOptional, const aclTensor *groupListOptional,
    const aclTensor *sharedInputOptional, const aclTensor *logitOptional,
    const aclTensor *rowIndexOptional, int64_t dtype, float sharedInputWeight,
    int64_t sharedInputOffset, bool transposeX1, bool transposeX2, int64_t groupListType,
    const aclIntArray *tuningConfigOptional, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupedMatmulFinalizeRoutingV3(void *workspace, uint64_t workspaceSize,
                                                          aclOpExecutor *executor,
                                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
