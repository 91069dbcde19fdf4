/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements are a number? */
#ifndef OP_API_INC_LEVEL2_ACLNN_ISIN__TENSOR_SCALAR_H_
#define OP_API_INC_LEVEL2_ACLNN_ISIN__TENSOR_SCALAR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = whether element[i] equals testElement; with invert, whether it does not; as torch.isin.
 *
 * - element: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL.
 * - testElement: a scalar of any real type; the two promote.
 * - assumeUnique: a hint that changes nothing.
 * - out: of element's shape; BOOL, or any type for 0 and 1. */
ACLNN_API aclnnStatus aclnnIsInTensorScalarGetWorkspaceSize(const aclTensor *element,
                                                            const aclScalar *testElement,
                                                            bool assumeUnique, bool invert,
                                                            aclTensor *out, uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIsInTensorScalar(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
