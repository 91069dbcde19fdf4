/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers from their parts. */
#ifndef OP_API_INC_LEVEL2_ACLNN_COMPLEX_TENSOR_H_
#define OP_API_INC_LEVEL2_ACLNN_COMPLEX_TENSOR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = real[i] + imag[i] j, as torch.complex: both parts as they are, NaN and -0 too.
 *
 * - real, imag: 0 to 8 dimensions; they broadcast. FLOAT or DOUBLE, both the same.
 * - out: of the shape that they broadcast to. COMPLEX64 of FLOAT, COMPLEX128 of DOUBLE.
 *
 * 161002 also if real and imag have different data types, or out another one. */
ACLNN_API aclnnStatus aclnnComplexGetWorkspaceSize(const aclTensor *real, const aclTensor *imag,
                                                   aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnComplex(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
