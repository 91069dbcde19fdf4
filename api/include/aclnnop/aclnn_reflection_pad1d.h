/* SPDX-License-Identifier: Apache-2.0 */
/* Reflected edges. */
#ifndef OP_API_INC_REFLECTION_PAD1D_H_
#define OP_API_INC_REFLECTION_PAD1D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self with edges along the last dimension: the edges continue it as a mirror does; the
 * outermost element is not repeated, as torch.nn.functional.pad with mode reflect.
 *
 * - self: 2 or 3 dimensions.
 * - padding: 2 numbers, elements in front and behind for each of these dimensions, the last one
 *   first; less than the size. Negative ones leave elements out.
 * - out: of self's type. */
ACLNN_API aclnnStatus aclnnReflectionPad1dGetWorkspaceSize(const aclTensor *self,
                                                           const aclIntArray *padding,
                                                           aclTensor *out, uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnReflectionPad1d(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
