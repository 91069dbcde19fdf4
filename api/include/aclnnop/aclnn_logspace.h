/* SPDX-License-Identifier: Apache-2.0 */
/* Powers at equal distances. */
#ifndef OP_API_INC_LOGSPACE_H_
#define OP_API_INC_LOGSPACE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* result = base to the powers of steps numbers from start to end at equal distances, as
 * torch.logspace.
 *
 * - steps: how many elements result has.
 * - result: FLOAT, FLOAT16, BF16 or DOUBLE.
 *
 * Computed in double and rounded once. */
ACLNN_API aclnnStatus aclnnLogSpaceGetWorkspaceSize(const aclScalar *start, const aclScalar *end,
                                                    int64_t steps, double base,
                                                    const aclTensor *result,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLogSpace(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
