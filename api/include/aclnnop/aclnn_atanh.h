/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse hyperbolic tangents. */
#ifndef OP_API_INC_ATANH_H_
#define OP_API_INC_ATANH_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = atanh(input), as torch.atanh; infinite at -1 and 1, a NaN outside of them.
 *
 * - input: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128.
 * - out: of its shape, of a floating or complex type.
 *
 * Integers and BOOL are computed as FLOAT; half types in FLOAT, rounded once. */
ACLNN_API aclnnStatus aclnnAtanhGetWorkspaceSize(const aclTensor *input, aclTensor *out,
                                                 uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAtanh(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);

/* inputRef becomes what aclnnAtanh gives for it; its type must be a floating or complex one. */
ACLNN_API aclnnStatus aclnnInplaceAtanhGetWorkspaceSize(aclTensor *inputRef,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceAtanh(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
