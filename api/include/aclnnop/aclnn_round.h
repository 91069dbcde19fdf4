/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest integer, of two the even one. */
#ifndef OP_API_INC_ROUND_H_
#define OP_API_INC_ROUND_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the nearest integer, of two the even one, as torch.round.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - out: of its shape.
 *
 * Integers stay as they are. */
ACLNN_API aclnnStatus aclnnRoundGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRound(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

/* selfRef becomes what aclnnRound gives for it. */
ACLNN_API aclnnStatus aclnnInplaceRoundGetWorkspaceSize(const aclTensor *selfRef,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceRound(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

/* out = the nearest number of that many decimals, of two the even one, as torch.round with
 * decimals: round(self 10^decimals) / 10^decimals, each step rounded.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8.
 * - decimals: of a negative number -n, multiples of 10^n.
 * - out: of its shape.
 *
 * Integers stay as they are; negative decimals of them are refused. */
ACLNN_API aclnnStatus aclnnRoundDecimalsGetWorkspaceSize(const aclTensor *self, int64_t decimals,
                                                         aclTensor *out, uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRoundDecimals(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

/* selfRef becomes what aclnnRoundDecimals gives for it. */
ACLNN_API aclnnStatus aclnnInplaceRoundDecimalsGetWorkspaceSize(aclTensor *selfRef,
                                                                int64_t decimals,
                                                                uint64_t *workspaceSize,
                                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceRoundDecimals(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
