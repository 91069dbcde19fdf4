/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers from magnitude and angle. */
#ifndef OP_API_INC_POLAR_H_
#define OP_API_INC_POLAR_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = input[i] cos(angle[i]) + input[i] sin(angle[i]) j, as torch.polar. Both parts are
 * computed in double and rounded once; a magnitude may be negative.
 *
 * - input, angle: 0 to 8 dimensions; they broadcast. FLOAT or DOUBLE, both the same.
 * - out: of the shape that they broadcast to. COMPLEX64 of FLOAT, COMPLEX128 of DOUBLE.
 *
 * 161002 also if input and angle have different data types, or out another one. */
ACLNN_API aclnnStatus aclnnPolarGetWorkspaceSize(const aclTensor *input, const aclTensor *angle,
                                                 aclTensor *out, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnPolar(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
