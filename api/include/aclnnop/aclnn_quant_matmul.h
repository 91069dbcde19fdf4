/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of INT8, the first two versions. */
#ifndef OP_API_INC_QUANT_MM_H_
#define OP_API_INC_QUANT_MM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = (x1 x2 + bias) deqScale. Sums are exact in 32 bits, which wrap beyond; the product with
 * the scale is rounded to FLOAT, then to FLOAT16.
 *
 * - x1: (..., m, k); x2: (..., k, n). INT8 (or INT4, as aclnnQuantMatmulV5 takes them), any
 *   strides, k at least 1, up to four axes of a batch in front, which broadcast. FRACTAL_NZ is
 *   taken as ND.
 * - bias: NULL, or INT32 (n), or as aclnnQuantMatmulV5 takes it.
 * - deqScale: a number. Nothing of its precision is cut off.
 * - out: (..., m, n), FLOAT16, any strides. */
ACLNN_API aclnnStatus aclnnQuantMatmulGetWorkspaceSize(const aclTensor *x1, const aclTensor *x2,
                                                       const aclTensor *bias, float deqScale,
                                                       aclTensor *out, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnQuantMatmul(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

/* The same with a scale for each column and factors that may be transposed.
 *
 * - x1: (..., m, k), or (..., k, m) where adjX1 is true; x2: (..., k, n), or (..., n, k) where
 *   adjX2 is true.
 * - deqScale: UINT64 as aclnnTransQuantParamV2 makes them, (n), (1), or n up to the next multiple
 *   of 16, of which the first n are used.
 * - Others as above. */
ACLNN_API aclnnStatus aclnnQuantMatmulV2GetWorkspaceSize(
    const aclTensor *x1, const aclTensor *x2, const aclTensor *bias, const aclTensor *deqScale,
    bool adjX1, bool adjX2, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnQuantMatmulV2(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
