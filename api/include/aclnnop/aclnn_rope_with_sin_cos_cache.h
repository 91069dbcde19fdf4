/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OP_API_INC_ROPE_WITH_SIN_COS_CACHE_H_
#define OP_API_INC_ROPE_WITH_SIN_COS_CACHE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rotary embeddings of queries and keys by rows of a table: vLLM's rotary_embedding,
 * torch_npu.npu_mrope. Of each head of headSize elements the first ones, as many as cosSinCache
 * has columns, are turned:
 *
 *     out[first] = x[first] * cos[i] - x[second] * sin[i]
 *     out[second] = x[second] * cos[i] + x[first] * sin[i]
 *
 * with isNeoxStyle of pairs (i, i + columns / 2), else of neighbours (2 i, 2 i + 1). cos is the
 * first half of row positions[t] of cosSinCache, sin the second; other elements stay.
 *
 * positions is INT32 or INT64 (tokens). mropeSection, where it is not NULL, empty or all 0, cuts
 * the pairs into at most 4 sections, and positions is (sections, tokens): a row for each. queryIn
 * and queryOut are (tokens, heads * headSize), keyIn and keyOut the same of other heads,
 * cosSinCache (positions, columns); all of one type, FLOAT, FLOAT16, BFLOAT16 or DOUBLE; half
 * types are computed in FLOAT. In place too. A position that is no row is the stream's error, and
 * its pairs are 0. */
ACLNN_API aclnnStatus aclnnRopeWithSinCosCacheGetWorkspaceSize(
    const aclTensor *positions, const aclTensor *queryIn, const aclTensor *keyIn,
    const aclTensor *cosSinCache, const aclIntArray *mropeSection, int64_t headSize,
    bool isNeoxStyle, aclTensor *queryOut, aclTensor *keyOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRopeWithSinCosCache(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
