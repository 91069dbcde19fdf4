/* SPDX-License-Identifier: Apache-2.0 */
/* Windows as columns. */
#ifndef OP_API_INC_IM2COL_H_
#define OP_API_INC_IM2COL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the windows of self as columns, as torch.nn.functional.unfold; an element of a window that
 * lies in the padding is 0.
 *
 * - self: (C, H, W) or (N, C, H, W).
 * - kernelSize, dilation, stride: two numbers greater than 0; padding: two that are not negative.
 *   One window at least must fit.
 * - out: (C * kernelH * kernelW, windows) or (N, C * kernelH * kernelW, windows), windows row by
 *   row; of self's type. */
ACLNN_API aclnnStatus aclnnIm2colGetWorkspaceSize(
    const aclTensor *self, const aclIntArray *kernelSize, const aclIntArray *dilation,
    const aclIntArray *padding, const aclIntArray *stride, const aclTensor *out,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIm2col(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
