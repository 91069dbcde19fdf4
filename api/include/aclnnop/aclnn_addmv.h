/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a matrix and a vector, added to a vector. */
#ifndef OP_API_INC_ADDMV_H_
#define OP_API_INC_ADDMV_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = beta self + alpha mat vec, as torch.addmv.
 *
 * - self: broadcasts to (m); with a beta of 0 it is not read. mat: (m, k); vec: (k); out: (m).
 *   FLOAT, FLOAT16, BF16, each its own; or DOUBLE, all of them.
 * - alpha, beta: scalars.
 * - cubeMathType: 0 multiplies numbers as they are; 1 and 3 round FLOAT ones to HF32, 2 all to
 *   FLOAT16.
 *
 * Also COMPLEX64 or COMPLEX128, all of them, which cubeMathType does not round. Sums are in FLOAT
 * (DOUBLE for DOUBLE), rounded once. */
ACLNN_API aclnnStatus aclnnAddmvGetWorkspaceSize(const aclTensor *self, const aclTensor *mat,
                                                 const aclTensor *vec, const aclScalar *alpha,
                                                 const aclScalar *beta, aclTensor *out,
                                                 int8_t cubeMathType, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddmv(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
