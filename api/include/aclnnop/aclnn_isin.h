/* SPDX-License-Identifier: Apache-2.0 */
/* Is a number among the elements of a tensor? */
#ifndef OP_API_INC_IS_IN_H_
#define OP_API_INC_IS_IN_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = whether some element of testElements equals element; with invert, whether none does; as
 * torch.isin.
 *
 * - element: a scalar of any real type.
 * - testElements: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8 or BOOL; the two
 *   promote.
 * - assumeUnique: a hint that changes nothing.
 * - out: BOOL, one element, of no or one dimension. Among no elements there is none. */
ACLNN_API aclnnStatus aclnnIsInScalarTensorGetWorkspaceSize(const aclScalar *element,
                                                            const aclTensor *testElements,
                                                            bool assumeUnique, bool invert,
                                                            aclTensor *out, uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIsInScalarTensor(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
