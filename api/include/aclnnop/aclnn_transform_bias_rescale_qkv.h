/* SPDX-License-Identifier: Apache-2.0 */
/* Query, key and value of all heads from one product and its bias. */
#ifndef ACLNN_TRANSFORM_BIAS_RESCALE_QKV_H_
#define ACLNN_TRANSFORM_BIAS_RESCALE_QKV_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With D elements of each of numHeads heads
 *
 *     qOut[b][n][t][d] = (qkv[b][t][n * D + d] + qkvBias[n * D + d]) / sqrt(D)
 *
 * and kOut and vOut the sums alone, of the next numHeads * D columns and of the last ones. Half
 * types are computed in FLOAT and rounded once.
 *
 * - qkv: FLOAT, FLOAT16 or BF16, (B, T, 3 * numHeads * D); D is at least 1. qkvBias: its columns,
 * of the same type.
 * - numHeads: greater than 0.
 * - qOut, kOut, vOut: (B, numHeads, T, D), of the same type. */
ACLNN_API aclnnStatus aclnnTransformBiasRescaleQkvGetWorkspaceSize(
    const aclTensor *qkv, const aclTensor *qkvBias, int64_t numHeads, const aclTensor *qOut,
    const aclTensor *kOut, const aclTensor *vOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTransformBiasRescaleQkv(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
