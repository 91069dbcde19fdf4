/* SPDX-License-Identifier: Apache-2.0 */
/* Copies. */
#ifndef OP_API_INC_COPY_H_
#define OP_API_INC_COPY_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selfRef = src, cast to selfRef's type, as torch.Tensor.copy_.
 *
 * - selfRef: the tensor that is written. FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64,
 *   UINT8, UINT16, UINT32, BOOL, COMPLEX64 or COMPLEX128.
 * - src: broadcasts to selfRef's shape. Any of these types.
 *
 * A number that becomes a floating one is rounded once to nearest even, to an infinity beyond the
 * range. A floating number that becomes an integer loses its fraction; beyond the range it becomes
 * the nearest integer that there is, a NaN 0. An integer that becomes a smaller one keeps its low
 * bits. Anything becomes true unless it is 0. A real number that becomes complex has the imaginary
 * part 0; a complex one that becomes real loses its own, and becomes no BOOL. */
ACLNN_API aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor *selfRef, const aclTensor *src,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceCopy(void *workspace, uint64_t workspaceSize,
                                       aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
