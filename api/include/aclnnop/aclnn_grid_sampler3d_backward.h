/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_GRID_SAMPLER3D_BACKWARD_H_
#define OP_API_INC_GRID_SAMPLER3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of aclnnGridSampler3D: what each pixel and each place of the grid get of
 * gradOutput.
 *
 *     inputGrad[n, c, i] = sum over p of d out[n, c, p] / d input[n, c, i] * gradOutput[n, c, p]
 *     gridGrad[n, p] = sum over c of d out[n, c, p] / d grid[n, p] * gradOutput[n, c, p]
 *
 * gradOutput is (N, C, Do, Ho, Wo), input and inputGrad (N, C, D, H, W), grid and gridGrad (N, Do,
 * Ho, Wo, 3); types and modes are those of aclnnGridSampler3D. outputMask has two entries, for
 * inputGrad and gridGrad: where one is false, the result is not written. gridGrad is 0 with
 * interpolationMode 1, and along an axis where a place was moved to the outermost pixel. */
ACLNN_API aclnnStatus aclnnGridSampler3DBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *input, const aclTensor *grid,
    int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
    const aclBoolArray *outputMask, aclTensor *inputGrad, aclTensor *gridGrad,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGridSampler3DBackward(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
