/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of softmax. */
#ifndef OP_API_INC_LOG_SOFTMAX_V2_H_
#define OP_API_INC_LOG_SOFTMAX_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What aclnnLogSoftmax computes along dimension dim.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE, 0 to 8 dimensions.
 * - dim: from -rank to rank - 1.
 * - out: of self's shape. */
ACLNN_API aclnnStatus aclnnLogSoftmaxV2GetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                        aclTensor *out, uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogSoftmaxV2(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
