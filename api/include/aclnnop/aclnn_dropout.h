/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout. */
#ifndef OP_API_INC_DROPOUT_H_
#define OP_API_INC_DROPOUT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each element is 0 with probability p, else input / (1 - p), as torch.nn.functional.dropout.
 *
 * - input: any shape of 0 to 8 dimensions, any strides. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - p: from 0 to 1.
 * - train: without it nothing is dropped.
 * - out: shape of input. FLOAT, FLOAT16, BF16 or DOUBLE.
 * - maskOut: UINT8, any strides: (n + 127) / 128 * 16 bytes for n elements; bit i % 8 of byte i /
 *   8 is 1 if element i stays.
 * - seed, offset: results depend on them and on the place of the element alone. Philox 4x32-10:
 *   the seed is the key, block b the counter
 *   (b, offset). */
ACLNN_API aclnnStatus aclnnDropoutGetWorkspaceSize(const aclTensor *input, double p, bool train,
                                                   int64_t seed, int64_t offset, aclTensor *out,
                                                   aclTensor *maskOut, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnDropout(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
