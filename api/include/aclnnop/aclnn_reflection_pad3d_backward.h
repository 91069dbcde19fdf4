/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of padding. */
#ifndef OP_API_INC_REFLECTION_PAD3D_BACKWARD_H_
#define OP_API_INC_REFLECTION_PAD3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of aclnnReflectionPad3d (torch.nn.functional.pad, mode reflect): each element of
 * gradInput is the sum of gradOutput's elements that were made of it: the one inside and the
 * images of it in the edges, mirrored at the first and the last element. Summed in double, rounded
 * once.
 *
 * - gradOutput: of the shape of what is padded. FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64 or
 *   COMPLEX128, as all tensors.
 * - self: (C, D, H, W) or (N, C, D, H, W); only its shape counts.
 * - padding: 6 numbers: in front and behind of the last dimension, then the two before it; as
 *   it was padded.
 * - gradInput: of self's shape; may overlap gradOutput. */
ACLNN_API aclnnStatus aclnnReflectionPad3dBackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclTensor *self, const aclIntArray *padding,
    aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnReflectionPad3dBackward(void *workspace, uint64_t workspaceSize,
                                                   aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
