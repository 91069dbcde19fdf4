/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: gradients scaled back. */
#ifndef OP_API_INC_FOREACH_NON_FINITE_CHECK_AND_UNSCALE_H_
#define OP_API_INC_FOREACH_NON_FINITE_CHECK_AND_UNSCALE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* scaledGrads[i] *= invScale; foundInf becomes 1 if an element was infinite or NaN before, else it
 * stays, as torch._amp_foreach_non_finite_check_and_unscale_.
 *
 * - scaledGrads: changed in place; any shapes and strides. FLOAT, FLOAT16 or BF16.
 * - foundInf: one element of FLOAT.
 * - invScale: one element of FLOAT; read when the work runs. */
ACLNN_API aclnnStatus aclnnForeachNonFiniteCheckAndUnscaleGetWorkspaceSize(
    const aclTensorList *scaledGrads, const aclTensor *foundInf, const aclTensor *invScale,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnForeachNonFiniteCheckAndUnscale(void *workspace, uint64_t workspaceSize,
                                                           aclOpExecutor *executor,
                                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
