/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a scalar and a tensor. */
#ifndef OP_API_INC_ADD_V3_H_
#define OP_API_INC_ADD_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self + alpha * other with a scalar self, as torch.add.
 *
 * - self: a scalar; it counts for the promoted type by its kind alone.
 * - other: a tensor. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL,
 *   COMPLEX64 or COMPLEX128.
 * - alpha: a scalar; it has no say in the promoted type and must be one that can be cast to it.
 * - out: of other's shape. */
ACLNN_API aclnnStatus aclnnAddV3GetWorkspaceSize(const aclScalar *self, const aclTensor *other,
                                                 const aclScalar *alpha, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddV3(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

/* other = selfRef + alpha * other, as aclnnAddV3. The result is in other: a scalar, which selfRef
 * is,
 * cannot be written. The promoted type must be one that can be cast to other's. */
ACLNN_API aclnnStatus aclnnInplaceAddV3GetWorkspaceSize(const aclScalar *selfRef,
                                                        const aclTensor *other,
                                                        const aclScalar *alpha,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAddV3(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
