/* SPDX-License-Identifier: Apache-2.0 */
/* Two products with a function between them, version 2. */
#ifndef OP_API_INC_FFN_V2_H
#define OP_API_INC_FFN_V2_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* aclnnFFN (aclnn_ffn.h says what it takes) that may be told where the rows of each expert end:
 *
 * - tokensIndexFlag: true: expertTokens says where they end; false: how many there are. */
ACLNN_API aclnnStatus aclnnFFNV2GetWorkspaceSize(
    const aclTensor *x, const aclTensor *weight1, const aclTensor *weight2,
    const aclIntArray *expertTokens, const aclTensor *bias1, const aclTensor *bias2,
    const aclTensor *scale, const aclTensor *offset, const aclTensor *deqScale1,
    const aclTensor *deqScale2, const aclTensor *antiquantScale1, const aclTensor *antiquantScale2,
    const aclTensor *antiquantOffset1, const aclTensor *antiquantOffset2, const char *activation,
    int64_t innerPrecise, bool tokensIndexFlag, const aclTensor *y, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFFNV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
