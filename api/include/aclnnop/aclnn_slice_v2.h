/* SPDX-License-Identifier: Apache-2.0 */
/* A part along several dimensions. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SLICEV2_H_
#define OP_API_INC_LEVEL2_ACLNN_SLICEV2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self[starts[i]:ends[i]:steps[i]] along each dimension axes[i]; aclnnSlice tells the rest.
 *
 * - starts, ends, axes, steps: as many elements each; no dimension twice. */
ACLNN_API aclnnStatus aclnnSliceV2GetWorkspaceSize(const aclTensor *self, const aclIntArray *starts,
                                                   const aclIntArray *ends, const aclIntArray *axes,
                                                   const aclIntArray *steps, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSliceV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
