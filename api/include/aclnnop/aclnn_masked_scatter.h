/* SPDX-License-Identifier: Apache-2.0 */
/* Writing where a mask is true. */
#ifndef OP_API_INC_MASKED_SCATTER_H_
#define OP_API_INC_MASKED_SCATTER_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The j-th element of selfRef at which mask is true becomes the j-th element of source, both in
 * row-major order, as torch.Tensor.masked_scatter_.
 *
 * - selfRef: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or
 *   UINT32.
 * - mask: BOOL or UINT8, where anything but 0 is true; broadcasts to selfRef's shape.
 * - source: of selfRef's type, of any shape. With fewer elements than mask selects, the elements
 *   that are there are written, and the next synchronise of the stream fails with a text that
 *   names the operator and both numbers. */
ACLNN_API aclnnStatus aclnnInplaceMaskedScatterGetWorkspaceSize(aclTensor *selfRef,
                                                                const aclTensor *mask,
                                                                const aclTensor *source,
                                                                uint64_t *workspaceSize,
                                                                aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceMaskedScatter(void *workspace, uint64_t workspaceSize,
                                                aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
