/* SPDX-License-Identifier: Apache-2.0 */
/* Bitwise or with a scalar. */
#ifndef OP_API_INC_LEVEL2_ACLNN_BITWISE_OR_SCALAR_H_
#define OP_API_INC_LEVEL2_ACLNN_BITWISE_OR_SCALAR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the bits of self or those of other, as torch.bitwise_or.
 *
 * - self: INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - other: an integer or BOOL, which counts for the promoted type by its kind alone; a floating
 *   one is
 *   refused.
 * - out: of self's shape. */
ACLNN_API aclnnStatus aclnnBitwiseOrScalarGetWorkspaceSize(const aclTensor *self,
                                                           const aclScalar *other, aclTensor *out,
                                                           uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBitwiseOrScalar(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

/* selfRef = the bits of selfRef or those of other, as aclnnBitwiseOrScalar. */
ACLNN_API aclnnStatus aclnnInplaceBitwiseOrScalarGetWorkspaceSize(aclTensor *selfRef,
                                                                  const aclScalar *other,
                                                                  uint64_t *workspaceSize,
                                                                  aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceBitwiseOrScalar(void *workspace, uint64_t workspaceSize,
                                                  aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
