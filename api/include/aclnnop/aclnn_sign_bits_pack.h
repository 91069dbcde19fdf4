/* SPDX-License-Identifier: Apache-2.0 */
/* Signs of numbers as bits. */
#ifndef OP_API_INC_SIGNBITSPACK_H_
#define OP_API_INC_SIGNBITSPACK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bit j of byte i of out, in row-major order, is whether self[8 i + j] is not negative; of a zero
 * of any sign it is 1, of a NaN 0, and 0 behind the last number.
 *
 * - self: (n); FLOAT or FLOAT16.
 * - size: at least 1, a divisor of the number of bytes.
 * - out: UINT8, (size, bytes / size), where bytes is n / 8, rounded up. */
ACLNN_API aclnnStatus aclnnSignBitsPackGetWorkspaceSize(const aclTensor *self, int64_t size,
                                                        aclTensor *out, uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSignBitsPack(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
