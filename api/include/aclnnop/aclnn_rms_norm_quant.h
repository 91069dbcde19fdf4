/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation by the root of the mean square, as small integers. */
#ifndef OP_API_INC_RMS_NORM_QUANT_H_
#define OP_API_INC_RMS_NORM_QUANT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = round((x rstd gamma + beta) / scale + offset), rstd = 1 / sqrt(mean(x^2) + epsilon) over the
 * last axis. What is rounded is FLOAT; ties round to even, numbers beyond the type become its
 * nearest end, a NaN 0.
 *
 * - x: 1 to 8 dimensions, (A..., n); FLOAT, FLOAT16 or BF16.
 * - gamma, beta: (n) or (1, n), of any of these types.
 * - scale: (1), of any of these types. offset: (1), INT8, INT32 or of any of these types.
 * - epsilon: added to the mean of the squares.
 * - y: x's shape, INT8; or INT4, two to a byte, the low half first, dense, of an even n; or INT32,
 *   each of which holds eight INT4, of an eighth of n. */
ACLNN_API aclnnStatus aclnnRmsNormQuantGetWorkspaceSize(const aclTensor *x, const aclTensor *gamma,
                                                        const aclTensor *beta,
                                                        const aclTensor *scale,
                                                        const aclTensor *offset, double epsilon,
                                                        aclTensor *y, uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRmsNormQuant(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
