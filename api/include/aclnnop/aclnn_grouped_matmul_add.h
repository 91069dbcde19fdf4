/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of terms, added to what is there. */
#ifndef ACLNN_GROUPED_MATMUL_ADD_H_
#define ACLNN_GROUPED_MATMUL_ADD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* yRef[g] += x[begin:end]^T weight[begin:end], begin being where group g - 1 ends, or 0, and end
 * where group g does: gradients of experts' weights.
 *
 * - x: (k, m), weight: (k, n); both FLOAT16 or BF16, any strides.
 * - groupList: INT64 (groups), at most 1024: where the rows of each group end, none before the one
 *   in front of it and none behind k; else the stream's error names the element, and its group and
 *   those behind it are empty. Rows behind the last group are not multiplied.
 * - yRef: (groups, m, n) or (groups m, n), FLOAT, any strides.
 * - transposeX: true. transposeWeight: false. groupType: 2.
 *
 * Sums are in FLOAT. */
ACLNN_API aclnnStatus aclnnGroupedMatmulAddGetWorkspaceSize(
    const aclTensor *x, const aclTensor *weight, const aclTensor *groupList, aclTensor *yRef,
    bool transposeX, bool transposeWeight, int64_t groupType, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupedMatmulAdd(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
