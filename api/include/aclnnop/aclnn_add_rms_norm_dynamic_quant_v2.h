/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of a sum by the root of its mean square, as small integers by scales that each row
 * makes, one or two of them. */
#ifndef OP_API_INC_LEVEL2_ADD_RMS_NORM_DYNAMIC_QUANT_V2_H_
#define OP_API_INC_LEVEL2_ADD_RMS_NORM_DYNAMIC_QUANT_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnAddRmsNormDynamicQuant with y = x rstd gamma + beta, and results that are asked for.
 *
 * - betaOptional: NULL for 0; or (n), FLOAT, FLOAT16 or BF16.
 * - outputMaskOptional: NULL; or two flags, which of the two pairs of results is wanted, one at
 *   least. A pair that is not wanted is not written, and may be NULL or of any shape; its
 *   smoothScale must be NULL. Without a mask the first pair is wanted, the second one with
 *   smoothScale2Optional.
 * - y1Out, y2Out: INT8; or INT4, two to a byte, the low half first, dense, of an even n; or INT32,
 *   each of which holds eight INT4, of an eighth of n. Both have one type. Of INT4 the largest is
 * 7, and so scale1Out max |r| / 7. */
ACLNN_API aclnnStatus aclnnAddRmsNormDynamicQuantV2GetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma,
    const aclTensor *smoothScale1Optional, const aclTensor *smoothScale2Optional,
    const aclTensor *betaOptional, double epsilon, const aclBoolArray *outputMaskOptional,
    aclTensor *y1Out, aclTensor *y2Out, aclTensor *xOut, aclTensor *scale1Out, aclTensor *scale2Out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddRmsNormDynamicQuantV2(void *workspace, uint64_t workspaceSize,
                                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
