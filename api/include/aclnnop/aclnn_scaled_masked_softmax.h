/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of scaled elements, some of them masked. */
#ifndef OP_API_INC_SCALED_MSAKED_SOFTMAX_H_
#define OP_API_INC_SCALED_MSAKED_SOFTMAX_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = softmax(z) along the last axis, z = scale x, or -10000 where mask is not 0. A row of which
 * all is masked gives equal shares.
 *
 * - x: four dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - mask: BOOL, UINT8 or INT8, of x's shape; the first two sizes may be 1.
 * - scale: see above.
 * - fixTriuMask: must be false: the mask is the caller's.
 * - y: of x's shape; may be x. */
ACLNN_API aclnnStatus aclnnScaledMaskedSoftmaxGetWorkspaceSize(const aclTensor *x,
                                                               const aclTensor *mask, double scale,
                                                               bool fixTriuMask, aclTensor *y,
                                                               uint64_t *workspaceSize,
                                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScaledMaskedSoftmax(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
