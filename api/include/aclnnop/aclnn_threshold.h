/* SPDX-License-Identifier: Apache-2.0 */
/* Threshold. */
#ifndef OP_API_INC_THRESHOLD_H_
#define OP_API_INC_THRESHOLD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = value where self <= threshold, self elsewhere: torch.nn.functional.threshold; a NaN stays
 * one. Half types are computed in FLOAT and rounded once.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - threshold, value: scalars of a kind that self can hold.
 * - out: of its shape. */
ACLNN_API aclnnStatus aclnnThresholdGetWorkspaceSize(const aclTensor *self,
                                                     const aclScalar *threshold,
                                                     const aclScalar *value, aclTensor *out,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnThreshold(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

/* selfRef becomes what aclnnThreshold gives for it. */
ACLNN_API aclnnStatus aclnnInplaceThresholdGetWorkspaceSize(aclTensor *selfRef,
                                                            const aclScalar *threshold,
                                                            const aclScalar *value,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceThreshold(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
