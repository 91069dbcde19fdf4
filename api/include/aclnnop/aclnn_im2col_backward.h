/* SPDX-License-Identifier: Apache-2.0 */
/* Columns put together to images. */
#ifndef OP_API_INC_IM2COL_BACKWARD_H_
#define OP_API_INC_IM2COL_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of aclnnIm2col, and torch.nn.functional.fold: each element of out is the sum of
 * gradOutput's elements that stand for it, one for each place that it has in a window; 0 where it
 * is in no window. Summed in double, rounded once.
 *
 * - gradOutput: (C kernelSize[0] kernelSize[1], L) or (N, C kernelSize[0] kernelSize[1], L), L the
 *   number of windows. FLOAT, FLOAT16, BF16 or DOUBLE, as out.
 * - inputSize: height and width of out.
 * - kernelSize, dilation, stride: two numbers each, at least 1; padding: two numbers, at least 0.
 * - out: (C, H, W) or (N, C, H, W); may overlap gradOutput. */
ACLNN_API aclnnStatus aclnnIm2colBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclIntArray *inputSize, const aclIntArray *kernelSize,
    const aclIntArray *dilation, const aclIntArray *padding, const aclIntArray *stride,
    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIm2colBackward(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
