/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms. */
#ifndef OP_API_INC_HISTC_H_
#define OP_API_INC_HISTC_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[k] = how many elements of self lie in the k-th of `bins` intervals of one width from min to
 * max, both inclusive, as torch.histc. An element x lies in interval (x - min) * bins / (max -
 * min), rounded down; max lies in the last one. Elements outside and NaN count nowhere.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8. Half types are counted
 *   as FLOAT, integers as DOUBLE.
 * - bins: at least 1.
 * - min, max: real scalars, finite, min not greater than max. Where they are equal, the range is
 *   that of self's elements, or, if those are equal too, one below to one above. An element that
 *   is not finite gives no range: the next synchronise of the stream then fails, and the counts
 *   are 0.
 * - out: one of those types, one dimension, of bins elements. */
ACLNN_API aclnnStatus aclnnHistcGetWorkspaceSize(const aclTensor *self, int64_t bins,
                                                 const aclScalar *min, const aclScalar *max,
                                                 aclTensor *out, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHistc(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
