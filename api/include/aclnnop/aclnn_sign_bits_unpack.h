/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers 1 and -1 of bits. */
#ifndef OP_API_INC_SIGN_BITS_UNPACK_H_
#define OP_API_INC_SIGN_BITS_UNPACK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element 8 i + j of out, in row-major order, is 1 where bit j of self[i] is set, else -1.
 *
 * - self: (n); UINT8.
 * - size: at least 1, a divisor of 8 n.
 * - dtype: ACL_FLOAT or ACL_FLOAT16.
 * - out: of that type, (size, 8 n / size). */
ACLNN_API aclnnStatus aclnnSignBitsUnpackGetWorkspaceSize(const aclTensor *self, int64_t size,
                                                          aclDataType dtype, aclTensor *out,
                                                          uint64_t *workspaceSize,
                                                          aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnSignBitsUnpack(void *workspace, uint64_t workspaceSize,
                                          aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
