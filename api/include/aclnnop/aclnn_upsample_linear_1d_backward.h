/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of images in another size. */
#ifndef OP_API_INC_UNAMPLE_LINEAR_1D_BACKWARD_H_
#define OP_API_INC_UNAMPLE_LINEAR_1D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of aclnnUpsampleLinear1d: each element of out is the sum of what the results took
 * of it, times their weights. Half types are summed in FLOAT and rounded once.
 *
 * - gradOut: inputSize's N and C, then outputSize; in formats that have the channels first. FLOAT,
 *   FLOAT16, BF16 or DOUBLE, as out.
 * - outputSize: 1 number, each at least 1.
 * - inputSize: 3 numbers, the shape of out; those of the image at least 1, N and C may be 0.
 * - alignCorners: as in the forward.
 * - scales: as in the forward.
 * - out: inputSize. */
ACLNN_API aclnnStatus aclnnUpsampleLinear1dBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize,
    bool alignCorners, double scales, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUpsampleLinear1dBackward(void *workspace, uint64_t workspaceSize,
                                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
