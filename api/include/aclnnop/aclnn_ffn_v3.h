/* SPDX-License-Identifier: Apache-2.0 */
/* Two products with a function between them, version 3. */
#ifndef OP_API_INC_FFN_V3_H
#define OP_API_INC_FFN_V3_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* aclnnFFNV2 (aclnn_ffn_v2.h) with the experts' rows in a tensor:
 *
 * - expertTokensOptional: NULL or empty, or INT64 (experts). What is behind all rows, before what
 * is in front of it or negative is the stream's error; that expert and those behind it have no
 * rows. Rows of no expert keep what y holds. */
ACLNN_API aclnnStatus aclnnFFNV3GetWorkspaceSize(
    const aclTensor *x, const aclTensor *weight1, const aclTensor *weight2,
    const aclTensor *expertTokensOptional, const aclTensor *bias1Optional,
    const aclTensor *bias2Optional, const aclTensor *scaleOptional, const aclTensor *offsetOptional,
    const aclTensor *deqScale1Optional, const aclTensor *deqScale2Optional,
    const aclTensor *antiquantScale1Optional, const aclTensor *antiquantScale2Optional,
    const aclTensor *antiquantOffset1Optional, const aclTensor *antiquantOffset2Optional,
    const char *activation, int64_t innerPrecise, bool tokensIndexFlag, const aclTensor *y,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFFNV3(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
