/* SPDX-License-Identifier: Apache-2.0 */
/* The step function. */
#ifndef OP_API_INC_HEAVISIDE_H_
#define OP_API_INC_HEAVISIDE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = 0 where input is negative, 1 where it is positive, values where it is 0: torch.heaviside.
 * Of a NaN it is 0.
 *
 * - input, values: FLOAT, FLOAT16, BF16 or DOUBLE; they promote and broadcast.
 * - out: of the broadcast shape. */
ACLNN_API aclnnStatus aclnnHeavisideGetWorkspaceSize(const aclTensor *input,
                                                     const aclTensor *values, aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHeaviside(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
