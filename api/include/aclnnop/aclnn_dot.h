/* SPDX-License-Identifier: Apache-2.0 */
/* Inner products. */
#ifndef OP_API_INC_LEVEL2_ACLNN_DOT_H_
#define OP_API_INC_LEVEL2_ACLNN_DOT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the sum of self[i] tensor[i], as torch.dot.
 *
 * - self, tensor: (k); out: no dimensions. FLOAT, FLOAT16, BF16, each its own; or DOUBLE, all of
 *   them.
 *
 * Also COMPLEX64 or COMPLEX128, both of them and out; nothing is conjugated. Sums are in FLOAT
 * (DOUBLE for DOUBLE), rounded once. */
ACLNN_API aclnnStatus aclnnDotGetWorkspaceSize(const aclTensor *self, const aclTensor *tensor,
                                               aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDot(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
