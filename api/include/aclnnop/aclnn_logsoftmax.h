/* SPDX-License-Identifier: Apache-2.0 */
/* The logarithm of softmax. */
#ifndef OP_API_INC_LOGSOFTMAX_H_
#define OP_API_INC_LOGSOFTMAX_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self - log(sum(exp(self))) along an axis, as torch.log_softmax. Computed in double from
 * self - max(self), rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis, from -rank to rank - 1.
 * - out: of self's shape, of any of these types; may be self.
 *
 * A row with a NaN, with +infinity, or with nothing but -infinity gives NaN. */
ACLNN_API aclnnStatus aclnnLogSoftmaxGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                      aclTensor *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogSoftmax(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
