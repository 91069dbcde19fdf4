/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as small integers, with a scale for each row that is made of it. */
#ifndef ACLNN_DYNAMIC_QUANT_H_
#define ACLNN_DYNAMIC_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* scaleOut = max |x smooth| / 127 of each row, the last dimension of x, and yOut = round(x smooth
 * / scaleOut), ties to even. A row of zeros becomes zeros, with scale 0; a NaN makes its row's
 * scale NaN and its integers 0. Each operation is one of FLOAT.
 *
 * - x: 2 to 8 dimensions, FLOAT16 or BF16.
 * - smoothScalesOptional: NULL for 1, else of FLOAT, FLOAT16 or BF16, one dimension, as many as
 *   x's last.
 * - yOut: x's shape, INT8; or INT4, two to a byte, the low half first, dense, of an even last
 *   dimension; or INT32, each of which holds eight INT4, of an eighth of x's last dimension. Of
 * INT4 the scale is max |x smooth| / 7.
 * - scaleOut: x's shape less the last dimension, FLOAT. */
ACLNN_API aclnnStatus aclnnDynamicQuantGetWorkspaceSize(
    const aclTensor *x, const aclTensor *smoothScalesOptional, const aclTensor *yOut,
    const aclTensor *scaleOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDynamicQuant(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
