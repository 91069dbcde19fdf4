/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences with a step, the end among them. */
#ifndef OP_API_INC_RANGE_H_
#define OP_API_INC_RANGE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = start + i * step for all numbers up to end, as torch.range; aclnnArange tells the rest.
 *
 * - out: of any shape, row by row, with floor((end - start) / step) + 1 elements. */
ACLNN_API aclnnStatus aclnnRangeGetWorkspaceSize(const aclScalar *start, const aclScalar *end,
                                                 const aclScalar *step, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRange(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
