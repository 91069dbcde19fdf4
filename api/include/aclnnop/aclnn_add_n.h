/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of many tensors. */
#ifndef OP_API_INC_ADD_N_H_
#define OP_API_INC_ADD_N_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the sum of all tensors, from the first to the last; half types are added in FLOAT and
 * rounded once: what aclnnSum computes.
 *
 * - tensors: at least one; FLOAT, FLOAT16, BF16, DOUBLE or an integer type, all the same. They
 *   broadcast.
 * - out: of that type and the broadcast shape. */
ACLNN_API aclnnStatus aclnnAddNGetWorkspaceSize(const aclTensorList *tensors, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddN(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
