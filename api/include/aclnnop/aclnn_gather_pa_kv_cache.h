/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values of sequences, side by side, from a cache that lies in blocks. */
#ifndef ACLNN_GATHER_PA_KV_CACHE_H_
#define ACLNN_GATHER_PA_KV_CACHE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Row j of sequence b is row j % rows of block blockTables[b][skipped + j / rows], skipped =
 * seqOffsetOptional[b] / rows. Sequences follow each other in keyRef and valueRef; rows behind the
 * last one stay as they are. A number that is no block, and a row that the table has no block for,
 * are not followed: the stream's error names the sequence, and the rows are zeros. From a sequence
 * whose length is negative, or ends behind keyRef, on nothing is written.
 *
 * - keyCache, valueCache: FLOAT, FLOAT16, BF16, INT8, UINT8, INT16 or INT32, (blocks, rows, heads,
 *   columns); with cacheMode "PA_NZ" (blocks, heads * columns / d, rows, d).
 * - blockTables: INT32 or INT64, (sequences, entries).
 * - seqLens: blockTables' type: (sequences), or with isSeqLensCumsum running sums, (sequences + 1).
 * - keyRef, valueRef: their cache's type, (tokens, heads, columns), with "PA_NZ" also (tokens,
 * heads
 *   * columns).
 * - seqOffsetOptional: NULL: 0; blockTables' type, (sequences).
 * - cacheMode: "Norm", as NULL is, or "PA_NZ". */
ACLNN_API aclnnStatus aclnnGatherPaKvCacheGetWorkspaceSize(
    const aclTensor *keyCache, const aclTensor *valueCache, const aclTensor *blockTables,
    const aclTensor *seqLens, aclTensor *keyRef, aclTensor *valueRef,
    const aclTensor *seqOffsetOptional, char *cacheMode, bool isSeqLensCumsum,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGatherPaKvCache(void *workspace, uint64_t workspaceSize,
                                           aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
