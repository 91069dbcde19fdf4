/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a number behind the point. */
#ifndef OP_API_INC_FRAC_H_
#define OP_API_INC_FRAC_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = input - trunc(input), as torch.frac: it has the sign of input, and is NaN for an infinity.
 *
 * - input: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8; of an integer it is
 *   0.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnFracGetWorkspaceSize(const aclTensor *input, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFrac(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/* inputRef becomes what aclnnFrac gives for it. */
ACLNN_API aclnnStatus aclnnInplaceFracGetWorkspaceSize(aclTensor *inputRef, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceFrac(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
