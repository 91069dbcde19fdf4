/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACLNN_UPSAMPLE_BICUBIC2D_AAGRAD_H_
#define ACLNN_UPSAMPLE_BICUBIC2D_AAGRAD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of aclnnUpsampleBicubic2dAA: each element gets what results took of it, of
 * gradOutput.
 *
 * gradOutput is (N, C, outputSize[0], outputSize[1]), out of the shape inputSize, (N, C, H, W).
 * All else is as there. */
ACLNN_API aclnnStatus aclnnUpsampleBicubic2dAAGradGetWorkspaceSize(
    const aclTensor *gradOutput, const aclIntArray *outputSize, const aclIntArray *inputSize,
    bool alignCorners, double scalesH, double scalesW, aclTensor *out, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUpsampleBicubic2dAAGrad(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
