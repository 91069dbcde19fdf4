/* SPDX-License-Identifier: Apache-2.0 */
/* Copying parts of a tensor along an axis. */
#ifndef OP_API_INC_INDEX_COPY_H_
#define OP_API_INC_INDEX_COPY_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* outRef = selfRef, then outRef[.., index[i], ..] = source[.., i, ..] along dim, as
 * torch.index_copy. selfRef is only read.
 *
 * - selfRef: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, UINT16,
 *   UINT32, COMPLEX64 or COMPLEX128.
 * - dim: an axis of selfRef, counted from the end if negative.
 * - index: INT32 or INT64, a vector, each from 0 to selfRef's size along dim - 1. Where several
 *   are equal the last one stays.
 * - source: of selfRef's type and shape, but as long along dim as index.
 * - outRef: of selfRef's type and shape. It may be selfRef.
 *
 * An index outside of that range is not followed: nothing is written for it, and the next
 * synchronise of the stream fails with a text that names the operator, the first such element and
 * its value. */
ACLNN_API aclnnStatus aclnnIndexCopyGetWorkspaceSize(aclTensor *selfRef, int64_t dim,
                                                     const aclTensor *index,
                                                     const aclTensor *source, aclTensor *outRef,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnIndexCopy(void *workspace, uint64_t workspaceSize,
                                     aclOpExecutor *executor, aclrtStream stream);

/* The same in selfRef itself, as torch.Tensor.index_copy_; arguments as aclnnIndexCopy has them. */
ACLNN_API aclnnStatus aclnnInplaceIndexCopyGetWorkspaceSize(aclTensor *selfRef, int64_t dim,
                                                            const aclTensor *index,
                                                            const aclTensor *source,
                                                            uint64_t *workspaceSize,
                                                            aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceIndexCopy(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
