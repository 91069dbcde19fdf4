/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform random numbers. */
#ifndef OP_API_INC_UNIFORM_H_
#define OP_API_INC_UNIFORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selfRef = numbers of the uniform distribution on [from, to), as selfRef.uniform_(from, to). One
 * that would be rounded to `to` becomes the largest number below.
 *
 * - selfRef: any shape of 0 to 8 dimensions, any strides; only written. FLOAT, FLOAT16, BF16 or
 *   DOUBLE.
 * - from, to: finite; from is not greater. Equal: all numbers are from.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnInplaceUniformGetWorkspaceSize(const aclTensor *selfRef, double from,
                                                          double to, uint64_t seed, uint64_t offset,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceUniform(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

/* The same as aclnnInplaceUniform, with the seed from memory.
 *
 * - seedTensor, offsetTensor: one element of INT64 or UINT64 each, read when the stream comes
 *   here: the seed, and what is added to offset. */
ACLNN_API aclnnStatus aclnnInplaceUniformTensorGetWorkspaceSize(
    const aclTensor *selfRef, double from, double to, const aclTensor *seedTensor,
    const aclTensor *offsetTensor, uint64_t offset, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceUniformTensor(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
