/* SPDX-License-Identifier: Apache-2.0 */
/* Images in another size, each element a copy of one. */
#ifndef OP_API_INC_UNAMPLE_NEAREST_2D_H_
#define OP_API_INC_UNAMPLE_NEAREST_2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = self[min(floor(i step), size - 1)] along each axis of the image, as
 * torch.nn.functional.interpolate with mode "nearest": step is self's size over out's. Computed in
 * FLOAT as there, DOUBLE in double, so the elements are the same ones.
 *
 * - self: (N, C, H, W), in formats that have the channels first. FLOAT, FLOAT16, BF16, DOUBLE or
 *   UINT8, as out.
 * - outputSize: 2 numbers, each at least 1: the image's size in out. self's must be at least 1 as
 *   well; N and C may be 0.
 * - out: self's N and C, and outputSize. */
ACLNN_API aclnnStatus aclnnUpsampleNearest2dGetWorkspaceSize(const aclTensor *self,
                                                             const aclIntArray *outputSize,
                                                             aclTensor *out,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnUpsampleNearest2d(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
