/* SPDX-License-Identifier: Apache-2.0 */
/* Masked elements. */
#ifndef OP_API_INC_DROPOUT_DO_MASK_H_
#define OP_API_INC_DROPOUT_DO_MASK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = self / (1 - prob) where the mask's bit is 1, else 0; 0 if prob is 1.
 *
 * - self: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - mask: UINT8, any strides: a bit for each element, (n + 127) / 128 * 16 bytes for n elements.
 * - prob: from 0 to 1.
 * - out: shape of self. FLOAT, FLOAT16, BF16 or DOUBLE. May be self itself. */
ACLNN_API aclnnStatus aclnnDropoutDoMaskGetWorkspaceSize(const aclTensor *self,
                                                         const aclTensor *mask, double prob,
                                                         aclTensor *out, uint64_t *workspaceSize,
                                                         aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDropoutDoMask(void *workspace, uint64_t workspaceSize,
                                         aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
