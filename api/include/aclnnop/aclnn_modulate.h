/* SPDX-License-Identifier: Apache-2.0 */
/* A scale and a shift for each sequence. */
#ifndef OP_API_INC_MODULATE_H_
#define OP_API_INC_MODULATE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self (1 + scaleOptional) + shiftOptional. FLOAT16 and BF16 are computed in FLOAT.
 *
 * - self: (batch, length, features); FLOAT, FLOAT16, BF16 or DOUBLE, as all tensors.
 * - scaleOptional, shiftOptional: (batch, 1, features) or (batch, features), each its own; NULL: 0.
 * - out: of self's shape; may be self. */
ACLNN_API aclnnStatus aclnnModulateGetWorkspaceSize(const aclTensor *self,
                                                    const aclTensor *scaleOptional,
                                                    const aclTensor *shiftOptional, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnModulate(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
