/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences with a step. */
#ifndef OP_API_INC_ARANGE_H_
#define OP_API_INC_ARANGE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = start + i * step for all numbers before end, as torch.arange.
 *
 * - start, end: end lies in step's direction, or is start.
 * - step: not 0, nor 0 as an integer where out is of integers.
 * - out: of any shape, row by row, with ceil((end - start) / step) elements. FLOAT, FLOAT16, BF16,
 * DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 *
 * Computed in int64 where out is of integers (the scalars are cut) or all scalars are, else in
 * double, and rounded once. */
ACLNN_API aclnnStatus aclnnArangeGetWorkspaceSize(const aclScalar *start, const aclScalar *end,
                                                  const aclScalar *step, aclTensor *out,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnArange(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
