/* SPDX-License-Identifier: Apache-2.0 */
/* Products with matrices of low rank, one pair for each group of rows. */
#ifndef ACLNN_ADD_LORA_H_
#define ACLNN_ADD_LORA_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = y, and in columns yOffset to yOffset + ySliceSize - 1 of row b also scale
 * weightB[i][layerIdx] weightAOptional[i][layerIdx] x[b], where i = indices[b]. Computed in FLOAT
 * and rounded once.
 *
 * - y: (rows, H3); x: (rows, H1). FLOAT, FLOAT16 or BF16, as all but indices.
 * - weightB: (groups, layers, H2, R).
 * - indices: (rows); INT32, from 0 to groups - 1. Of another one nothing is added, and the stream's
 *   next synchronise returns 507015.
 * - weightAOptional: (groups, layers, R, H1), or NULL: then x is multiplied by weightB alone, and
 *   H1 is R.
 * - layerIdx: below layers. yOffset, ySliceSize: ySliceSize is H2, and the columns are y's.
 * - out: of y's shape; may be y. */
ACLNN_API aclnnStatus aclnnAddLoraGetWorkspaceSize(
    const aclTensor *y, const aclTensor *x, const aclTensor *weightB, const aclTensor *indices,
    const aclTensor *weightAOptional, int64_t layerIdx, double scale, int64_t yOffset,
    int64_t ySliceSize, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnAddLora(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
