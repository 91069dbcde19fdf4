/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of several devices become those of all. */
#ifndef OP_API_INC_SYNC_BATCH_NORM_GATHER_STATS_WITH_COUNTS_H
#define OP_API_INC_SYNC_BATCH_NORM_GATHER_STATS_WITH_COUNTS_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For each channel the mean and 1 / sqrt(variance + eps) of all elements from those of parts, as
 * torch.batch_norm_gather_stats_with_counts. runningMean becomes (1 - momentum) runningMean +
 * momentum meanAll, runningVar the same with the variance of a sample (n - 1).
 *
 * - input: (N, C, ...), 2 to 8 dimensions, of which only the channels matter; FLOAT, FLOAT16, BF16
 *   or DOUBLE.
 * - mean, invstd: (parts, C).
 * - runningMean, runningVar: (C); read and written.
 * - momentum, eps: see above.
 * - counts: (parts): elements of a channel in each part; INT32, INT64 or a floating type.
 * - meanAll, invstdAll: (C). */
ACLNN_API aclnnStatus aclnnBatchNormGatherStatsWithCountsGetWorkspaceSize(
    const aclTensor *input, const aclTensor *mean, const aclTensor *invstd, aclTensor *runningMean,
    aclTensor *runningVar, double momentum, double eps, const aclTensor *counts, aclTensor *meanAll,
    aclTensor *invstdAll, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBatchNormGatherStatsWithCounts(void *workspace, uint64_t workspaceSize,
                                                          aclOpExecutor *executor,
                                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
