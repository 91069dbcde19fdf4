/* SPDX-License-Identifier: Apache-2.0 */
/* How often each number occurs. */
#ifndef OP_API_INC_BINCOUNT_H_
#define OP_API_INC_BINCOUNT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[n] = how many elements of self are n, or the sum of their weights, as torch.bincount.
 *
 * - self: INT8, INT16, INT32, INT64 or UINT8, one dimension; each from 0 to out's size - 1.
 *   Another is not counted, and the next synchronise of the stream fails with a text that names
 *   the operator, the first such element and its value.
 * - weights: NULL, or of self's shape and any real type, which is cast to out's.
 * - minlength: not negative; out has at least as many elements.
 * - out: INT32, INT64, FLOAT or DOUBLE, one dimension, of as many elements as self's maximum + 1,
 *   or more.
 *
 * Weights are added in self's order: the result has the same bits for any number of threads.
 * Integers wrap. */
ACLNN_API aclnnStatus aclnnBincountGetWorkspaceSize(const aclTensor *self, const aclTensor *weights,
                                                    int64_t minlength, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBincount(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
