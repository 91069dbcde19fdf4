/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that a mask selects. */
#ifndef OP_API_INC_MASKED_SELECT_H_
#define OP_API_INC_MASKED_SELECT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the elements of self where mask is true, in row-major order, as torch.masked_select.
 *
 * - self: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16 or UINT32.
 * - mask: BOOL or UINT8, where anything but 0 is true; broadcasts with self.
 * - out: of self's type, one dimension, of as many elements as the broadcast shape has. Elements
 *   behind the last that is selected are not written. How many were selected is known when the
 *   stream has been synchronised: aclGetViewShape of out then says it. */
ACLNN_API aclnnStatus aclnnMaskedSelectGetWorkspaceSize(const aclTensor *self,
                                                        const aclTensor *mask, aclTensor *out,
                                                        uint64_t *workspaceSize,
                                                        aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnMaskedSelect(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
