/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics for batch normalisation. */
#ifndef OP_API_BATCH_NORMAL_STATS_H_
#define OP_API_BATCH_NORMAL_STATS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The mean and 1 / sqrt(variance + eps) of each channel, as torch.batch_norm_stats. Computed in
 * double, tile by tile, joined.
 *
 * - input: (N, C, ...), 2 to 8 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - eps: added to the variance.
 * - mean, invstd: (C), of any of these types. */
ACLNN_API aclnnStatus aclnnBatchNormStatsGetWorkspaceSize(const aclTensor *input, double eps,
                                                          aclTensor *mean, aclTensor *invstd,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchNormStats(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
