/* SPDX-License-Identifier: Apache-2.0 */
/* Diagonals in place. */
#ifndef OP_API_INC_FILL_DIAGONAL_H_
#define OP_API_INC_FILL_DIAGONAL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The elements of selfRef whose indices are all equal become fillValue, as
 * torch.Tensor.fill_diagonal_.
 *
 * - selfRef: a matrix, or up to 8 dimensions of one size.
 * - fillValue: of a type that can be cast to selfRef's.
 * - wrap: whether in a matrix with more rows than columns another diagonal begins one row behind
 *   the end of the one before. */
ACLNN_API aclnnStatus aclnnInplaceFillDiagonalGetWorkspaceSize(aclTensor *selfRef,
                                                               const aclScalar *fillValue,
                                                               bool wrap, uint64_t *workspaceSize,
                                                               aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInplaceFillDiagonal(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
