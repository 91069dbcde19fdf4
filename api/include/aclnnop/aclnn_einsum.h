/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products by an equation. */
#ifndef OP_API_INC_EINSUM_H_
#define OP_API_INC_EINSUM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* output = what the equation names of the products of two tensors, summed over the letters that
 * it leaves out: torch.einsum for two equations. Products of half types are made in FLOAT, and
 * rounded with their sum; integers wrap.
 *
 * - tensors: two, of one type: FLOAT, FLOAT16, BF16, DOUBLE or an integer type.
 * - equation: "abcd,abced->abce" or "a,b->ab".
 * - output: of their type and the shape that the equation says. */
ACLNN_API aclnnStatus aclnnEinsumGetWorkspaceSize(const aclTensorList *tensors,
                                                  const char *equation, aclTensor *output,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEinsum(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
