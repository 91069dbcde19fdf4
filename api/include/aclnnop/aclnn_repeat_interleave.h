/* SPDX-License-Identifier: Apache-2.0 */
/* Repeating elements. */
#ifndef OP_API_INC_LEVEL2_ACLNN_REPEAT_INTERLEAVE_H_
#define OP_API_INC_LEVEL2_ACLNN_REPEAT_INTERLEAVE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = each element of self, in row-major order, repeats times, as torch.repeat_interleave.
 *
 * - repeats: not negative.
 * - outputSize: how many elements out has.
 * - out: one dimension; of self's type. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntGetWorkspaceSize(const aclTensor *self,
                                                               int64_t repeats, int64_t outputSize,
                                                               aclTensor *out,
                                                               uint64_t *workspaceSize,
                                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveInt(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

/* The same along dimension dim: out has self's shape, but repeats times as many elements there.
 *
 * - dim: in [-rank, rank).
 * - outputSize: out's size along dim. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntWithDimGetWorkspaceSize(
    const aclTensor *self, int64_t repeats, int64_t dim, int64_t outputSize, aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveIntWithDim(void *workspace, uint64_t workspaceSize,
                                                      aclOpExecutor *executor, aclrtStream stream);

/* out = each element of self, in row-major order, as often as repeats says, as
 * torch.repeat_interleave.
 *
 * - repeats: INT32 or INT64, not negative: one number, or one for each element of self.
 * - outputSize: how many elements out has: the sum of repeats, or of one number the product with
 *   self's elements.
 * - out: one dimension; of self's type.
 *
 * Where repeats is not sound - a negative number, or numbers that do not add up - the next
 * synchronise of the stream fails with a text that names the operator and says which; nothing is
 * written outside of out. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveGetWorkspaceSize(const aclTensor *self,
                                                            const aclTensor *repeats,
                                                            int64_t outputSize, aclTensor *out,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRepeatInterleave(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

/* The same of the parts of self along dimension dim.
 *
 * - repeats: one number, or one for each part.
 * - dim: in [-rank, rank).
 * - outputSize: out's size along dim.
 * - out: of self's type; its other sizes are self's. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveWithDimGetWorkspaceSize(
    const aclTensor *self, const aclTensor *repeats, int64_t dim, int64_t outputSize,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveWithDim(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

/* out = 0 repeats[0] times, then 1 repeats[1] times, and so on, as torch.repeat_interleave of
 * repeats alone.
 *
 * - repeats: INT32 or INT64, one dimension, not negative.
 * - outputSize: the sum of repeats.
 * - out: of repeats' type, with outputSize elements.
 *
 * Where repeats is not sound - a negative number, or numbers that do not add up - the next
 * synchronise of the stream fails with a text that names the operator and says which; nothing is
 * written outside of out. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveTensorGetWorkspaceSize(const aclTensor *repeats,
                                                                  int64_t outputSize,
                                                                  aclTensor *out,
                                                                  uint64_t *workspaceSize,
                                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRepeatInterleaveTensor(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
