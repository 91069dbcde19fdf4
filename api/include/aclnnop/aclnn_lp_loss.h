/* SPDX-License-Identifier: Apache-2.0 */
/* The distance of pairs of numbers. */
#ifndef OP_API_INC_LP_LOSS_H_
#define OP_API_INC_LP_LOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = |predict - label|, each for itself, their mean or their sum. Half types are computed in
 * FLOAT, sums in double, and rounded once.
 *
 * - predict, label: FLOAT, FLOAT16, BF16 or DOUBLE; they promote and broadcast.
 * - p: 1.
 * - reduction: "none", "mean" or "sum"; NULL is "mean".
 * - out: of the broadcast shape, or one element. */
ACLNN_API aclnnStatus aclnnLpLossGetWorkspaceSize(const aclTensor *predict, const aclTensor *label,
                                                  int64_t p, const char *reduction,
                                                  const aclTensor *out, uint64_t *workspaceSize,
                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnLpLoss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
