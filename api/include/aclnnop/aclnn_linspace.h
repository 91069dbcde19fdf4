/* SPDX-License-Identifier: Apache-2.0 */
/* Equal distances. */
#ifndef OP_API_INC_LINSPACE_H_
#define OP_API_INC_LINSPACE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = steps numbers from start to end at equal distances, as torch.linspace.
 *
 * - steps: how many elements out has. Of one it is start.
 * - out: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8. Of integers start and
 *   end are cut first.
 *
 * Computed in double, the first half from start, the second from end, and rounded once. */
ACLNN_API aclnnStatus aclnnLinspaceGetWorkspaceSize(const aclScalar *start, const aclScalar *end,
                                                    int64_t steps, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLinspace(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
