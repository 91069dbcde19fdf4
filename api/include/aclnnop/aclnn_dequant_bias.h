/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of small integers as numbers. */
#ifndef ACLNN_DEQUANT_BIAS_H_
#define ACLNN_DEQUANT_BIAS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x weightScale activateScale + bias; a bias of INT32 is added to x first. Computed in
 * DOUBLE, rounded once.
 *
 * - x: (m, n), INT32.
 * - weightScale: (n), FLOAT or BF16.
 * - activateScaleOptional: NULL for 1; or (m), FLOAT.
 * - biasOptional: NULL for 0; or (n), FLOAT, FLOAT16, BF16 or INT32.
 * - outputDtype: out's type, 1 (FLOAT16) or 27 (BF16).
 * - out: (m, n). */
ACLNN_API aclnnStatus aclnnDequantBiasGetWorkspaceSize(
    const aclTensor *x, const aclTensor *weightScale, const aclTensor *activateScaleOptional,
    const aclTensor *biasOptional, int64_t outputDtype, const aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDequantBias(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
