/* SPDX-License-Identifier: Apache-2.0 */
/* Places in sorted sequences. */
#ifndef OP_API_INC_LEVEL2_ACLNN_SEARCHSORTED_H_
#define OP_API_INC_LEVEL2_ACLNN_SEARCHSORTED_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = how many elements of its sequence are less than self[i] (right: not greater), that is
 * where it can be put in, as torch.searchsorted.
 *
 * - sortedSequence: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8; sorted along
 *   its last axis, which is not checked. One dimension, or self's dimensions with the same sizes
 *   but for the last.
 * - self: one of those types; both promote.
 * - outInt32: whether out is INT32, else INT64.
 * - right: whether equal elements are passed.
 * - sorter: NULL, or INT64 of sortedSequence's shape: element j of a sequence is then the one that
 *   its row of sorter names, from 0 to its length - 1. Another index is read as 0, and the next
 *   synchronise of the stream fails with a text that names the operator, the element and its
 *   value.
 * - out: of self's shape.
 *
 * A NaN in self stands behind all. */
ACLNN_API aclnnStatus aclnnSearchSortedGetWorkspaceSize(const aclTensor *sortedSequence,
                                                        const aclTensor *self, const bool outInt32,
                                                        const bool right, const aclTensor *sorter,
                                                        aclTensor *out, uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSearchSorted(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

/* The same for one number.
 *
 * - sortedSequence: one dimension; types as aclnnSearchSorted has them.
 * - self: a scalar of any real type; it has a say in the type by its kind alone.
 * - outInt32: whether out is INT32, else INT64.
 * - right: whether equal elements are passed.
 * - sorter: NULL, or INT64 of sortedSequence's shape: element j of a sequence is then the one that
 *   its row of sorter names, from 0 to its length - 1. Another index is read as 0, and the next
 *   synchronise of the stream fails with a text that names the operator, the element and its
 *   value.
 * - out: one element, of no or one dimension. */
ACLNN_API aclnnStatus aclnnSearchSortedsGetWorkspaceSize(const aclTensor *sortedSequence,
                                                         const aclScalar *self, const bool outInt32,
                                                         const bool right, const aclTensor *sorter,
                                                         aclTensor *out, uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSearchSorteds(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
