/* SPDX-License-Identifier: Apache-2.0 */
/* Gated units of groups of rows, as INT8 or INT4. */
#ifndef ACLNN_SWI_GLU_QUANT_V2_H_
#define ACLNN_SWI_GLU_QUANT_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnSwiGluQuant, and
 *
 * - groupListType: 0: groupIndexOptional has the groups' ends; 1: it has how many rows each has.
 * - dstType: yOut's type, 2 (INT8) or 29 (INT4).
 * - yOut: (A..., n), INT8; or INT4, two to a byte, the low half first, dense, of an even n; its
 *   largest is 7, and so a dynamic scaleOut 7 / max |r|. */
ACLNN_API aclnnStatus aclnnSwiGluQuantV2GetWorkspaceSize(
    const aclTensor *x, const aclTensor *smoothScalesOptional, const aclTensor *offsetsOptional,
    const aclTensor *groupIndexOptional, bool activateLeft, char *quantModeOptional,
    int64_t groupListType, int64_t dstType, const aclTensor *yOut, const aclTensor *scaleOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSwiGluQuantV2(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
