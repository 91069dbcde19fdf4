/* SPDX-License-Identifier: Apache-2.0 */
/* Piecewise linear tanh. */
#ifndef OP_API_INC_LEVEL2_ACLNN_HARDTANH_H_
#define OP_API_INC_LEVEL2_ACLNN_HARDTANH_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self, raised to clipValueMin, then lowered to clipValueMax: torch.nn.functional.hardtanh;
 * a NaN stays one. Half types are computed in FLOAT and rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - clipValueMin, clipValueMax: scalars of any real type, cast to self's: for whole numbers their
 *   fractions go.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnHardtanhGetWorkspaceSize(const aclTensor *self,
                                                    const aclScalar *clipValueMin,
                                                    const aclScalar *clipValueMax, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnHardtanh(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

/* selfRef becomes what aclnnHardtanh gives for it. */
ACLNN_API aclnnStatus aclnnInplaceHardtanhGetWorkspaceSize(aclTensor *selfRef,
                                                           const aclScalar *clipValueMin,
                                                           const aclScalar *clipValueMax,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceHardtanh(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
