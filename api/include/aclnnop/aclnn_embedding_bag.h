/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, means and maxima of rows of a table, bag by bag. */
#ifndef OP_API_INC_EMBEDDING_BAG_H_
#define OP_API_INC_EMBEDDING_BAG_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* output[b] = the sum, the mean or the maximum of the rows weight[indices[i]] of bag b, as
 * torch.nn.functional.embedding_bag. Bag b has the indices from offsets[b] up to the next bag's,
 * the last bag those up to the end. Nothing in a bag: 0.
 *
 * - weight: the table, (rows, features); FLOAT, FLOAT16, BF16 or DOUBLE.
 * - indices: (count); an integer type.
 * - offsets: (bags), or (bags + 1) with includeLastOffset; an integer type. They begin with 0 and
 *   do not decrease.
 * - scaleGradByFreq, sparse: of the gradient alone; not looked at.
 * - mode: 0: the sum, 1: the mean, another: the maximum. A NaN is a maximum only where it comes
 *   first, as in PyTorch.
 * - perSampleWeights: (count), of weight's type: row i of a sum counts as often as that says;
 *   NULL: once. NULL unless mode is 0.
 * - includeLastOffset: offsets has one more element, which is not read: the last bag ends with the
 *   indices.
 * - paddingIdx: indices of that value count nowhere; a negative one: all do.
 * - output: (bags, features), of weight's type.
 * - offset2bag: (count) or empty; INT64 or INT32, as the next two: the bag of each index.
 * - bagSize: (bags): how many indices of each bag count. With includeLastOffset also (bags + 1),
 *   the last one 0.
 * - maxIndices: of a maximum (bags, features): the indices of the rows that it comes from, 0 of an
 *   empty bag. Else (bags), or as long as bagSize, or empty; it becomes 0.
 *
 * Sums are made in double, in the order of the indices. An index outside of the table is not
 * followed: it counts as paddingIdx, and the stream's error is ACL_ERROR_RT_AICORE_EXCEPTION,
 * whose text has its position and value; so is an offset that is not in order, which is taken as
 * the nearest one that is. */
ACLNN_API aclnnStatus aclnnEmbeddingBagGetWorkspaceSize(
    const aclTensor *weight, const aclTensor *indices, const aclTensor *offsets,
    bool scaleGradByFreq, int64_t mode, bool sparse, const aclTensor *perSampleWeights,
    bool includeLastOffset, int64_t paddingIdx, aclTensor *output, aclTensor *offset2bag,
    aclTensor *bagSize, aclTensor *maxIndices, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEmbeddingBag(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
