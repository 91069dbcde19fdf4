/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of a sum by the root of its mean square, as small integers by one scale or two, and
 * as it is. */
#ifndef OP_API_INC_LEVEL2_ADD_RMS_NORM_QUANT_V2_H_
#define OP_API_INC_LEVEL2_ADD_RMS_NORM_QUANT_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnAddRmsNormQuant with y = rmsNormOut + beta, rmsNormOut = x rstd gamma.
 *
 * - betaOptional: NULL for 0; or gamma's shape, FLOAT, FLOAT16 or BF16.
 * - rmsNormOut: x1's shape, of any of these types; NULL: not wanted. */
ACLNN_API aclnnStatus aclnnAddRmsNormQuantV2GetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma, const aclTensor *scales1,
    const aclTensor *scales2Optional, const aclTensor *zeroPoints1Optional,
    const aclTensor *zeroPoints2Optional, const aclTensor *betaOptional, int64_t axis,
    double epsilon, bool divMode, aclTensor *y1Out, aclTensor *y2Out, aclTensor *xOut,
    aclTensor *rmsNormOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddRmsNormQuantV2(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
