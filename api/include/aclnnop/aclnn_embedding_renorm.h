/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table, bounded. */
#ifndef OP_API_INC_EMBEDDING_RENORM_H_
#define OP_API_INC_EMBEDDING_RENORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each row of selfRef that indices name, whose norm (sum of |x|^normType)^(1 / normType) is
 * greater than maxNorm, is multiplied by maxNorm / (norm + 1e-7), as torch.embedding_renorm_. Rows
 * that are named twice are bounded once.
 *
 * - selfRef: FLOAT, FLOAT16, BF16 or DOUBLE, two dimensions.
 * - indices: INT32 or INT64, of any shape, each from 0 to selfRef's rows - 1. Another is not
 *   followed, and the next synchronise of the stream fails with a text that names the operator,
 *   the first such element and its value.
 * - maxNorm: the bound, 0 at least.
 * - normType: 0 at least; 0 counts what is not 0, infinity takes the largest magnitude. */
ACLNN_API aclnnStatus aclnnEmbeddingRenormGetWorkspaceSize(aclTensor *selfRef,
                                                           const aclTensor *indices, double maxNorm,
                                                           double normType, uint64_t *workspaceSize,
                                                           aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnEmbeddingRenorm(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
