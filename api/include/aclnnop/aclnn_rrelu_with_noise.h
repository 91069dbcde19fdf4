/* SPDX-License-Identifier: Apache-2.0 */
/* Linear unit with a random slope. */
#ifndef OP_API_INC_RRELU_WITH_NOISE_H_
#define OP_API_INC_RRELU_WITH_NOISE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self where self is positive, else r self, r from lower to upper: torch.rrelu_with_noise.
 * noise becomes r there and 1 elsewhere.
 *
 * - self, noise: of one shape and type. FLOAT, FLOAT16, BF16 or DOUBLE. noise is written.
 * - lower, upper: of the uniform distribution; finite, lower is not greater.
 * - training: the slope is random; else it is the mean of lower and upper, and noise is left as it
 *   is.
 * - seed, offset: of the generator, as aclnnInplaceUniform takes them. Numbers depend on them and
 *   on the element's place alone.
 * - out: of self's shape and type; may be self. */
ACLNN_API aclnnStatus aclnnRReluWithNoiseGetWorkspaceSize(
    const aclTensor *self, const aclTensor *noise, const aclScalar *lower, const aclScalar *upper,
    bool training, int64_t seed, int64_t offset, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRReluWithNoise(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

/* The same, in place of self.
 *
 * - self, noise: of one shape and type. FLOAT, FLOAT16, BF16 or DOUBLE. Both are written.
 * - lower, upper: of the uniform distribution; finite, lower is not greater.
 * - training: the slope is random; else it is the mean of lower and upper, and noise is left as it
 *   is.
 * - seed, offset: of the generator, as aclnnInplaceUniform takes them. Numbers depend on them and
 *   on the element's place alone. */
ACLNN_API aclnnStatus aclnnInplaceRReluWithNoiseGetWorkspaceSize(
    const aclTensor *self, const aclTensor *noise, const aclScalar *lower, const aclScalar *upper,
    bool training, int64_t seed, int64_t offset, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceRReluWithNoise(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
