/* SPDX-License-Identifier: Apache-2.0 */
/* One half, cut off below a threshold, times the other. */
#ifndef OP_API_INC_FATRELU_MUL_H_
#define OP_API_INC_FATRELU_MUL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = a b, where a and b are the halves of input along its last axis and a is 0 where it is less
 * than threshold. Computed in double and rounded once.
 *
 * - input: FLOAT, FLOAT16, BF16 or DOUBLE, 1 to 8 dimensions; the last size is even.
 * - threshold: one element, of any number of dimensions.
 * - out: of input's shape with half the last size. */
ACLNN_API aclnnStatus aclnnFatreluMulGetWorkspaceSize(const aclTensor *input,
                                                      const aclTensor *threshold,
                                                      const aclTensor *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFatreluMul(void *workspace, uint64_t workspaceSize,
                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
