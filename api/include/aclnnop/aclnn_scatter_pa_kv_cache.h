/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values of tokens to slots of a cache that lies in blocks. */
#ifndef ACLNN_SCATTER_PA_KV_CACHE_H_
#define ACLNN_SCATTER_PA_KV_CACHE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Row i of key and of value goes to row slot % rows of block slot / rows, slot = slotMapping[i]. -1
 * leaves the row out; another number that is no slot is not followed: the stream's error names it.
 * Of rows with one slot the last stays.
 *
 * - key: FLOAT, FLOAT16, BF16, INT8, UINT8, INT16 or INT32, (tokens, heads, columns).
 * - keyCacheRef: key's type. cacheModeOptional NULL or "Norm": (blocks, rows, heads, columns), with
 *   scatterModeOptional "NHSD" (blocks, heads, rows, columns). "PA_NZ": (blocks, heads * columns /
 * d, rows, d) or (blocks, heads, columns / d, rows, d).
 * - slotMapping: INT32 or INT64, (tokens).
 * - value, valueCacheRef: the same, with columns and a type of their own; NULL or empty: none.
 * - compressLensOptional, compressSeqOffsetOptional, seqLensOptional: NULL.
 * - scatterModeOptional: NULL, "None" or "NHSD". Compressed keys ("Alibi", "Rope", "Omni") are
 *   refused, as is "Nct": strides are those of the tensors.
 * - stridesOptional, offsetsOptional: not read. */
ACLNN_API aclnnStatus aclnnScatterPaKvCacheGetWorkspaceSize(
    const aclTensor *key, aclTensor *keyCacheRef, const aclTensor *slotMapping,
    const aclTensor *value, aclTensor *valueCacheRef, const aclTensor *compressLensOptional,
    const aclTensor *compressSeqOffsetOptional, const aclTensor *seqLensOptional,
    char *cacheModeOptional, char *scatterModeOptional, const aclIntArray *stridesOptional,
    const aclIntArray *offsetsOptional, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnScatterPaKvCache(void *workspace, uint64_t workspaceSize,
                                            aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
