/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of unfolding an axis. */
#ifndef OP_API_INC_UNFOLD_GRAD_H_
#define OP_API_INC_UNFOLD_GRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of torch.Tensor.unfold(dim, size, step): each element of gradIn is the sum of
 * gradOut's elements that are its copies, one for each slice that holds it; 0 where none does.
 * Summed in double, rounded once.
 *
 * - gradOut: of shape inputSizes with (inputSizes[dim] - size) / step + 1 slices in place of
 *   dimension dim, and a last dimension of size elements. FLOAT, FLOAT16, BF16 or DOUBLE, as
 *   gradIn.
 * - inputSizes: at most 7 numbers: gradIn's shape.
 * - dim: may be counted from the end; any dimension.
 * - size: from 1 to inputSizes[dim].
 * - step: at least 1.
 * - gradIn: of shape inputSizes; may overlap gradOut. */
ACLNN_API aclnnStatus aclnnUnfoldGradGetWorkspaceSize(
    const aclTensor *gradOut, const aclIntArray *inputSizes, int64_t dim, int64_t size,
    int64_t step, const aclTensor *gradIn, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUnfoldGrad(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
