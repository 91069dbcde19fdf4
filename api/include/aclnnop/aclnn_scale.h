/* SPDX-License-Identifier: Apache-2.0 */
/* A factor and an addend for some axes of a tensor. */
#ifndef OP_API_INC_SCALE_H_
#define OP_API_INC_SCALE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = x scale + bias, where scale and bias have some axes of x, one after the other, and are the
 * same for all others. FLOAT16 and BF16 are computed in FLOAT.
 *
 * - x: FLOAT, FLOAT16, BF16 or DOUBLE, as all tensors.
 * - scale: of x's sizes from axis on; one element where there are no such axes.
 * - bias: of scale's shape, or NULL.
 * - axis: of x, counted from the end if negative.
 * - numAxes: how many axes scale has with scaleFromBlob; -1: all from axis on. Without
 *   scaleFromBlob scale says it, and numAxes has no effect but must not be below -1.
 * - y: of x's shape; may be x. */
ACLNN_API aclnnStatus aclnnScaleGetWorkspaceSize(const aclTensor *x, const aclTensor *scale,
                                                 const aclTensor *bias, int64_t axis,
                                                 int64_t numAxes, bool scaleFromBlob, aclTensor *y,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScale(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
