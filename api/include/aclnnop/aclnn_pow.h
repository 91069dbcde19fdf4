/* SPDX-License-Identifier: Apache-2.0 */
/* Powers with a scalar. */
#ifndef OP_API_INC_POW_TENSOR_SCALAR_H_
#define OP_API_INC_POW_TENSOR_SCALAR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self to the power of exponent, as torch.pow.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128.
 * - exponent: a scalar, which counts for the promoted type by its kind alone.
 * - out: of self's shape.
 *
 * Integers wrap; a negative exponent leaves 1 of 1, 1 or -1 of -1, and 0 of others. Of floating
 * numbers a
 * square is a product and the power of -1 a quotient; others have the special values of C's pow. */
ACLNN_API aclnnStatus aclnnPowTensorScalarGetWorkspaceSize(const aclTensor *self,
                                                           const aclScalar *exponent,
                                                           const aclTensor *out,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPowTensorScalar(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

/* self = self to the power of exponent, as aclnnPowTensorScalar. */
ACLNN_API aclnnStatus aclnnInplacePowTensorScalarGetWorkspaceSize(const aclTensor *self,
                                                                  const aclScalar *exponent,
                                                                  uint64_t *workspaceSize,
                                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplacePowTensorScalar(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

/* out = a scalar self to the power of exponent, as torch.pow.
 *
 * - self: a scalar, which counts for the promoted type by its kind alone.
 * - exponent: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128.
 * - out: of exponent's shape.
 *
 * Integers wrap; a negative exponent leaves 1 of 1, 1 or -1 of -1, and 0 of others. Of floating
 * numbers a
 * square is a product and the power of -1 a quotient; others have the special values of C's pow. */
ACLNN_API aclnnStatus aclnnPowScalarTensorGetWorkspaceSize(const aclScalar *self,
                                                           const aclTensor *exponent,
                                                           const aclTensor *out,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPowScalarTensor(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
