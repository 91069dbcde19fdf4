/* SPDX-License-Identifier: Apache-2.0 */
/* Running products. */
#ifndef OP_API_INC_LEVEL2_ACLNN_CUMPROD_H_
#define OP_API_INC_LEVEL2_ACLNN_CUMPROD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = input[0] * ... * input[i] along an axis, as torch.cumprod.
 *
 * - input: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - dim: the axis, a whole number from -rank to rank - 1.
 * - dtype: the type that elements are cast to before, and of the result; ACL_DT_UNDEFINED:
 *   input's.
 * - out: of input's shape; of dtype or one that it can be cast to.
 *
 * Sums and products of floating types are made in DOUBLE and rounded once each, those of integers
 * in INT64, and wrap. */
ACLNN_API aclnnStatus aclnnCumprodGetWorkspaceSize(const aclTensor *input, const aclScalar *dim,
                                                   const aclDataType dtype, aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCumprod(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

/* The same in place, in input's type.
 *
 * - input: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - dim: the axis, a whole number from -rank to rank - 1. */
ACLNN_API aclnnStatus aclnnInplaceCumprodGetWorkspaceSize(aclTensor *input, const aclScalar *dim,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceCumprod(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
