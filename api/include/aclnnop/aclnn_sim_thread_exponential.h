/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential random numbers. */
#ifndef OP_API_INC_SIM_THREAD_EXPONENTIAL_H_
#define OP_API_INC_SIM_THREAD_EXPONENTIAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selfRef = -log(v) / lambda with v uniform on (0, 1), as selfRef.exponential_(lambda).
 *
 * - selfRef: any shape of 0 to 8 dimensions, any strides; only written. FLOAT, FLOAT16, BF16 or
 *   DOUBLE.
 * - count: its number of elements.
 * - lambda: greater than 0.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnSimThreadExponentialGetWorkspaceSize(aclTensor *selfRef, int64_t count,
                                                                double lambda, int64_t seed,
                                                                int64_t offset,
                                                                uint64_t *workspaceSize,
                                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSimThreadExponential(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
