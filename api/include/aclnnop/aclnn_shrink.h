/* SPDX-License-Identifier: Apache-2.0 */
/* Shrinkage. */
#ifndef OP_API_INC_SHRINK_H_
#define OP_API_INC_SHRINK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self - bias above lambd, self + bias below -lambd, 0 between: ONNX's Shrink; a NaN stays
 * one. Half types are computed in FLOAT and rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16 or DOUBLE.
 * - lambd, bias: scalars.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnShrinkGetWorkspaceSize(const aclTensor *self, const aclScalar *lambd,
                                                  const aclScalar *bias, aclTensor *out,
                                                  uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnShrink(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
