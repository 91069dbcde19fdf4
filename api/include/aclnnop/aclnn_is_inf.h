/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements are infinite. */
#ifndef ACLNN_IS_INF_H_
#define ACLNN_IS_INF_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = whether x is infinite, as torch.isinf.
 *
 * - x: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - out: of its shape; BOOL, or any other type, which gets 1 and 0.
 *
 * Integers and BOOL are finite. */
ACLNN_API aclnnStatus aclnnIsInfGetWorkspaceSize(const aclTensor *x, const aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIsInf(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
