/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms of sums. */
#ifndef OP_API_INC_REDUCE_LOG_SUM_H_
#define OP_API_INC_REDUCE_LOG_SUM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* reduce = log(sum(data)) along some axes, as ONNX's ReduceLogSum.
 *
 * - data: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL; integers as
 *   FLOAT.
 * - axes: the axes, from -rank to rank - 1, none twice; NULL or empty: all.
 * - keepDims: whether the reduced axes stay, with one element.
 * - noopWithEmptyAxes: empty axes mean no axis.
 * - reduce: of data's shape without the reduced axes; of data's type or one that it can be cast
 *   to. */
ACLNN_API aclnnStatus aclnnReduceLogSumGetWorkspaceSize(const aclTensor *data,
                                                        const aclIntArray *axes, bool keepDims,
                                                        bool noopWithEmptyAxes, aclTensor *reduce,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnReduceLogSum(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
