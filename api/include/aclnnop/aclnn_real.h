/* SPDX-License-Identifier: Apache-2.0 */
/* Real parts of complex numbers. */
#ifndef OP_API_INC_LEVEL2_ACLNN_REAL_H_
#define OP_API_INC_LEVEL2_ACLNN_REAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = the real part of self[i], as torch.real. A real number is its own.
 *
 * - self: 0 to 8 dimensions. COMPLEX64, COMPLEX128, FLOAT, FLOAT16, BF16 or DOUBLE.
 * - out: of self's shape. FLOAT of COMPLEX64, DOUBLE of COMPLEX128, else of self's data type.
 *
 * 161002 also if out has another data type. */
ACLNN_API aclnnStatus aclnnRealGetWorkspaceSize(const aclTensor *self, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnReal(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
