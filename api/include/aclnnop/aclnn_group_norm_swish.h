/* SPDX-License-Identifier: Apache-2.0 */
/* Group normalisation with Swish. */
#ifndef ACLNN_GROUP_NORM_SWISH_H_
#define ACLNN_GROUP_NORM_SWISH_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* yOut = z / (1 + exp(-swishScale z)), z = (x - mean) rstd gamma + beta, mean and variance over a
 * group of channels of a sample.
 *
 * - x: (N, C, ...), 2 to 7 dimensions; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gamma, beta: (C), of any of these types.
 * - numGroups: groups; it divides C.
 * - dataFormatOptional: "NCHW" or NULL.
 * - eps: added to the variance.
 * - activateSwish: false: yOut = z.
 * - swishScale: see above.
 * - yOut: of x's shape; may be x.
 * - meanOut, rstdOut: (N, numGroups). */
ACLNN_API aclnnStatus aclnnGroupNormSwishGetWorkspaceSize(
    const aclTensor *x, const aclTensor *gamma, const aclTensor *beta, int64_t numGroups,
    char *dataFormatOptional, double eps, bool activateSwish, double swishScale,
    const aclTensor *yOut, const aclTensor *meanOut, const aclTensor *rstdOut,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupNormSwish(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
