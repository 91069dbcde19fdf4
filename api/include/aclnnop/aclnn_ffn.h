/* SPDX-License-Identifier: Apache-2.0 */
/* Two products with a function between them. */
#ifndef OP_API_INC_FFN_H
#define OP_API_INC_FFN_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = activation(x weight1 + bias1) weight2 + bias2, of all rows or, with experts, of each expert's
 * rows with its own weights.
 *
 * - x: (..., k), 2 to 8 dimensions; FLOAT16 or BF16, any strides.
 * - weight1: (k, n); weight2: (n, k), or (n / 2, k) after a gate. (experts, ...) with experts. Of
 *   x's type, any strides, in any format.
 * - expertTokens: NULL or empty: no experts; else an array of at most 256: how many rows each
 * expert has, all rows together.
 * - bias1: NULL or (n), with experts (experts, n); bias2: NULL or (k). FLOAT, FLOAT16 or BF16.
 * - scale, offset, deqScale1, deqScale2, antiquantScale1, antiquantScale2, antiquantOffset1,
 *   antiquantOffset2: NULL; integers are not supported.
 * - activation: gelu (by tanh), fastgelu, relu, silu; geglu, swiglu, reglu: the left half of the
 *   columns times the function of the right one, for FLOAT16, innerPrecise 1 and no experts.
 * - innerPrecise: 0, or 1 for FLOAT16; the same results.
 * - y: x's shape and type, any strides.
 *
 * Sums and functions are FLOAT; the function's value is rounded to x's type. */
ACLNN_API aclnnStatus aclnnFFNGetWorkspaceSize(
    const aclTensor *x, const aclTensor *weight1, const aclTensor *weight2,
    const aclIntArray *expertTokens, const aclTensor *bias1, const aclTensor *bias2,
    const aclTensor *scale, const aclTensor *offset, const aclTensor *deqScale1,
    const aclTensor *deqScale2, const aclTensor *antiquantScale1, const aclTensor *antiquantScale2,
    const aclTensor *antiquantOffset1, const aclTensor *antiquantOffset2, const char *activation,
    int64_t innerPrecise, const aclTensor *y, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFFN(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
