/* SPDX-License-Identifier: Apache-2.0 */
/* Gated unit of GELU. */
#ifndef OP_API_INC_LEVEL2_ACLNN_GEGLU_H_
#define OP_API_INC_LEVEL2_ACLNN_GEGLU_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With the halves a, b of self along dim: outGelu = gelu(b), out = a gelu(b), of the exact
 * gelu(b).
 *
 * - self: at least one dimension, of an even size along dim. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis; counts from the end if negative.
 * - approximate: 0 for gelu(x) = x (1 + erf(x / sqrt(2))) / 2, 1 for its approximation with tanh.
 * - out, outGelu: half of self's size along dim. Of any floating type. */
ACLNN_API aclnnStatus aclnnGeGluGetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                 int64_t approximate, aclTensor *out,
                                                 aclTensor *outGelu, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGeGlu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

/* The same, or with activateLeft outGelu = gelu(a), out = gelu(a) b.
 *
 * - self: at least one dimension, of an even size along dim. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - dim: the axis; counts from the end if negative.
 * - approximate: 0 for gelu(x) = x (1 + erf(x / sqrt(2))) / 2, 1 for its approximation with tanh.
 * - activateLeft: the first half is activated.
 * - out, outGelu: half of self's size along dim. Of any floating type. */
ACLNN_API aclnnStatus aclnnGeGluV3GetWorkspaceSize(const aclTensor *self, int64_t dim,
                                                   int64_t approximate, bool activateLeft,
                                                   aclTensor *out, aclTensor *outGelu,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGeGluV3(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
