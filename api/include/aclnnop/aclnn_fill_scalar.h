/* SPDX-License-Identifier: Apache-2.0 */
/* Fills with a scalar. */
#ifndef OP_API_INC_FILL_H_
#define OP_API_INC_FILL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every element of selfRef becomes value, as torch.Tensor.fill_.
 *
 * - selfRef: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, BOOL,
 *   COMPLEX64 or COMPLEX128.
 * - value: of any type; converted to selfRef's: a fraction is lost for integers, whose low bits
 *   are kept, and of a complex one the real part counts where selfRef is real. */
ACLNN_API aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor *selfRef,
                                                             const aclScalar *value,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceFillScalar(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
