/* SPDX-License-Identifier: Apache-2.0 */
/* Angles of complex numbers. */
#ifndef OP_API_INC_ANGLE_V2_H_
#define OP_API_INC_ANGLE_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = atan2(im(x[i]), re(x[i])), in radians from -pi to pi, as torch.angle. Of a real number
 * it is pi if the number is negative, NaN of a NaN, else 0.
 *
 * - x: 0 to 8 dimensions. COMPLEX64, COMPLEX128, FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32,
 *   INT64, UINT8 or BOOL.
 * - out: of x's shape. The result is FLOAT of COMPLEX64, of integers and of BOOL, DOUBLE of
 *   COMPLEX128, else of x's data type; out has this or a floating or complex type. */
ACLNN_API aclnnStatus aclnnAngleV2GetWorkspaceSize(const aclTensor *x, const aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAngleV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
