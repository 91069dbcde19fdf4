/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a tensor into pieces. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SPLIT_WITH_SIZE_H_
#define OP_API_INC_LEVEL2_ACLNN_SPLIT_WITH_SIZE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = the i-th piece of self along dimension dim, which has splitSize[i] elements, as
 * torch.split_with_sizes.
 *
 * - self: 1 to 8 dimensions.
 * - splitSize: not negative; their sum is self's size.
 * - out: as many tensors, of self's type. */
ACLNN_API aclnnStatus aclnnSplitWithSizeGetWorkspaceSize(const aclTensor *self,
                                                         const aclIntArray *splitSize, int64_t dim,
                                                         aclTensorList *out,
                                                         uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSplitWithSize(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
