/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise functions of many tensors. */
#ifndef OP_API_INC_MAXN_H_
#define OP_API_INC_MAXN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each element of out is the largest of the tensors' elements; a NaN beats every number, as
 * torch.maximum of them all.
 *
 * - tensors: a list of one tensor at least, whose shapes broadcast. FLOAT, FLOAT16, BF16, DOUBLE,
 *   INT8, INT16, INT32, INT64 or UINT8, all of one type.
 * - out: of the broadcast shape and that type; may overlap any of them. */
ACLNN_API aclnnStatus aclnnMaxNGetWorkspaceSize(const aclTensorList *tensors, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMaxN(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
