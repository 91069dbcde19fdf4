/* SPDX-License-Identifier: Apache-2.0 */
/* Zeros and ones. */
#ifndef OP_API_INC_BERNOULLI_H_
#define OP_API_INC_BERNOULLI_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = 1 with probability prob, else 0, as torch.bernoulli.
 *
 * - self: only its shape is looked at. FLOAT, FLOAT16, BF16 or DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL.
 * - prob: from 0 to 1.
 * - out: shape of self, any strides. FLOAT, FLOAT16, BF16 or DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnBernoulliGetWorkspaceSize(const aclTensor *self, const aclScalar *prob,
                                                     int64_t seed, int64_t offset, aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBernoulli(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

/* out = 1 with probability prob[i], else 0.
 *
 * - self: only its shape is looked at. FLOAT, FLOAT16, BF16 or DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL.
 * - prob: expands to self's shape, any strides. FLOAT, FLOAT16, BF16 or DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8 or BOOL. Below 0 gives 0, above 1 gives 1, NaN 0.
 * - out: shape of self, any strides. FLOAT, FLOAT16, BF16 or DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8 or BOOL.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnBernoulliTensorGetWorkspaceSize(const aclTensor *self,
                                                           const aclTensor *prob, int64_t seed,
                                                           int64_t offset, aclTensor *out,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBernoulliTensor(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

/* selfRef = 1 with probability prob, else 0, as selfRef.bernoulli_(prob).
 *
 * - selfRef: any shape of 0 to 8 dimensions, any strides; only written. FLOAT, FLOAT16, BF16 or
 *   DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - prob: from 0 to 1.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnInplaceBernoulliGetWorkspaceSize(const aclTensor *selfRef,
                                                            const aclScalar *prob, int64_t seed,
                                                            int64_t offset, uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceBernoulli(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

/* selfRef = 1 with probability prob[i], else 0.
 *
 * - selfRef: any shape of 0 to 8 dimensions, any strides; only written. FLOAT, FLOAT16, BF16 or
 *   DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - prob: expands to selfRef's shape, any strides. FLOAT, FLOAT16, BF16 or DOUBLE, INT8, INT16,
 *   INT32, INT64, UINT8 or BOOL.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnInplaceBernoulliTensorGetWorkspaceSize(const aclTensor *selfRef,
                                                                  const aclTensor *prob,
                                                                  int64_t seed, int64_t offset,
                                                                  uint64_t *workspaceSize,
                                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceBernoulliTensor(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
