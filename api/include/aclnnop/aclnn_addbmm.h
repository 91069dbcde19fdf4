/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of a batch of matrices, added to a tensor. */
#ifndef OP_API_INC_ADDBMM_H_
#define OP_API_INC_ADDBMM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = beta self + alpha sum of batch1[i] batch2[i], as torch.addbmm.
 *
 * - self: broadcasts to (m, n); with a beta of 0 it is not read. batch1: (b, m, k); batch2: (b, k,
 *   n); out: (m, n). FLOAT, FLOAT16, BF16, each its own; or DOUBLE, all of them.
 * - beta, alpha: scalars.
 * - cubeMathType: 0 multiplies numbers as they are; 1 and 3 round FLOAT ones to HF32, 2 all to
 *   FLOAT16.
 *
 * Also COMPLEX64 or COMPLEX128, all of them, which cubeMathType does not round. Sums are in FLOAT
 * (DOUBLE for DOUBLE), rounded once. */
ACLNN_API aclnnStatus aclnnAddbmmGetWorkspaceSize(const aclTensor *self, const aclTensor *batch1,
                                                  const aclTensor *batch2, const aclScalar *beta,
                                                  const aclScalar *alpha, aclTensor *out,
                                                  int8_t cubeMathType, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddbmm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

/* selfRef = beta selfRef + alpha sum of batch1[i] batch2[i], as aclnnAddbmm. */
ACLNN_API aclnnStatus aclnnInplaceAddbmmGetWorkspaceSize(
    aclTensor *selfRef, const aclTensor *batch1, const aclTensor *batch2, const aclScalar *beta,
    const aclScalar *alpha, int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAddbmm(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
