/* SPDX-License-Identifier: Apache-2.0 */
/* Traces. */
#ifndef OP_API_INC_TRACE_H_
#define OP_API_INC_TRACE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the sum of the elements on the diagonal, as torch.trace.
 *
 * - self: a matrix; FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64
 *   or COMPLEX128.
 * - out: without dimensions, or with one of one element; of self's type, or INT64 for integers, or
 *   one that it can be cast to. */
ACLNN_API aclnnStatus aclnnTraceGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTrace(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
