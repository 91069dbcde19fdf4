/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of dropout. */
#ifndef OP_API_INC_DROPOUT_BACKWARD_H_
#define OP_API_INC_DROPOUT_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = gradOutput * scale where the mask's bit is 1, else 0.
 *
 * - gradOutput: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - mask: UINT8, any strides: a bit for each element, (n + 127) / 128 * 16 bytes for n elements.
 * - scale: 0 or at least 1.
 * - out: shape of gradOutput. FLOAT, FLOAT16, BF16 or DOUBLE. */
ACLNN_API aclnnStatus aclnnDropoutBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                           const aclTensor *mask, double scale,
                                                           aclTensor *out, uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDropoutBackward(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
