/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of inference, fused: what aclnn_flash_attention_score.h computes, without dropout,
 * statistics and gradient:
 *
 *     attentionOut[i] = sum over j of p[i][j] * value[j],
 *     p[i][] = softmax of (scaleValue * query[i] . key[j] + pse[i][j]) over j
 *
 * inputLayout names the axes of query, key and value: "BSH", "BSND", "BNSD", or "TND" for
 * sequences behind each other; and, behind a "_", those of attentionOut where they are others:
 * "BNSD_BSND", "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD", "TND_NTD", "NTD_TND". query has numHeads
 * heads, key and value numKeyValueHeads (0: numHeads), a divisor of them. A head has 1 to 512
 * elements, one of value may have fewer. FLOAT, too, which CANN does not take.
 *
 * key and value are lists of one tensor; or, but of "TND", of one for each sequence, each with a
 * batch of 1 and the sizes of the first one but for the rows, of which Skv is the most. They are
 * neither in blocks nor shared then.
 *
 * pseShiftOptional is (B, N, Sq, Skv), where each axis may be 1 and the last two may be longer; of
 * any floating type. attenMaskOptional, BOOL, UINT8 or INT8, hides where it is not 0: (B, N, Sq,
 * Skv) with axes of 1, (B, Sq, Skv), (Sq, Skv), or (B, Skv) for one query; the last two axes may
 * be longer. sparseMode is 0 to 4, with preTokens and nextTokens, as in
 * aclnn_flash_attention_score.h; only 0 may do without a mask. One query in each sequence has no
 * preTokens and nextTokens where sparseMode is 0.
 *
 * actualSeqLengthsOptional and actualSeqLengthsKvOptional tell how many rows of query (not if it
 * has one row) and of key each sequence has, one number for all or one each; NULL or empty: all.
 * Of "TND" they are where each sequence ends, and must be given. Rows of attentionOut behind a
 * sequence are 0. A query that sees no key has zeros.
 *
 * With blockTableOptional, INT32 (B, blocks of a sequence at most), keys and values lie in blocks
 * of blockSize rows: (blocks, blockSize, H), (blocks, N, blockSize, D), or with five axes (blocks,
 * N, D / w, blockSize, w), of any w, where column c is in panel c / w. Rows k * blockSize and
 * following of sequence b are block blockTableOptional[b][k]; entries behind a sequence are not
 * looked at. actualSeqLengthsKvOptional must be given, and is the rows of each sequence. A number
 * that is none of a block is the stream's error, and its rows count as 0.
 *
 * softmaxLse, where softmaxLseFlag is true, is FLOAT (B, N, Sq, 1), of "TND" (T, N, 1): the
 * logarithm of the sum of exponentials plus the maximum, -infinity where no key is visible; else
 * it is not written and may be NULL.
 *
 * key and value may be INT8, or INT4: as INT4, or as INT32 that hold eight numbers each, the first
 * in the lowest bits, so that a head has an eighth as many elements. They stand for
 * (number + offset) * scale, computed in FLOAT. keyAntiquantScaleOptional and
 * valueAntiquantScaleOptional are, by keyAntiquantMode and valueAntiquantMode, which are the same,
 * or 0 and 1, where an axis of 1 may stand in front, N is numKeyValueHeads and S at least the rows
 * of keys that a sequence can have:
 *
 *     0  (N, 1, D), (1, N, D), (N, D), (H), or one element    of query's type, or FLOAT
 *     1  (B, S)                                               FLOAT
 *     2  (N)                                                  of query's type, or FLOAT
 *     3  (B, N, S)                                            FLOAT
 *     4  (blocks, blockSize), of keys in blocks               FLOAT
 *     5  (blocks, N, blockSize), of keys in blocks            FLOAT
 *
 * Offsets, all or none, are of the types and shapes of their scales. Or, where those are NULL,
 * there are antiquantScaleOptional and antiquantOffsetOptional for keys and values of INT8, by
 * antiquantMode 0 or 1, behind an axis of 2: keys, values. Not of "TND"; INT4 not in blocks.
 *
 * keySharedPrefixOptional and valueSharedPrefixOptional, of the types and axes of key and value but
 * for a batch of 1, stand before the keys and values of each sequence,
 * actualSharedPrefixLenOptional (one number; NULL: all) of their rows. Masks, pseShiftOptional and
 * modes count them as the first keys. Not of "TND", in blocks or where there is padding.
 *
 * queryPaddingSizeOptional and kvPaddingSizeOptional are one INT64: each sequence stands at the end
 * of its rows of query, or of key and value, but for so many (less than 0: 0). They count where
 * lengths are given; that of query where it has several rows. Masks and pseShiftOptional are for
 * all rows of the tensors then, and sparseMode 0 has no preTokens and nextTokens. Rows that would
 * begin before their tensor begin with it; but one query has no keys then. Not of "TND"; in blocks
 * and lists that of key counts for nothing for one query and is refused for several.
 *
 * attentionOut may be INT8, but of "TND": the result times quantScale2Optional plus
 * quantOffset2Optional (NULL: 0), to the nearest, from -128 to 127. These are FLOAT, or BF16 where
 * query is, of one element or one for each column of each head, (N, D) in any shape. Rows behind a
 * sequence are 0 then, too.
 *
 * query, key and value may be INT8 all three, with deqScale1Optional, quantScale1Optional and
 * deqScale2Optional, of one element each, FLOAT or, of the first and the last, UINT64, whose lower
 * half is that of a FLOAT. Scores are scaleValue * deqScale1Optional * query[i] . key[j] then;
 * exponentials of their distance from the largest so far, times quantScale1Optional, are rounded to
 * INT8 before they meet value, but not in their sum; deqScale2Optional multiplies what comes of it.
 * attentionOut is FLOAT, FLOAT16, BF16 or INT8, quantScale2Optional FLOAT. There is no shared
 * prefix. Else these three tensors must be NULL or empty.
 *
 * innerPrecise counts for nothing. */
#ifndef ACLNN_FUSED_INFER_ATTENTION_SCORE_V2_H_
#define ACLNN_FUSED_INFER_ATTENTION_SCORE_V2_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All that is said above. */
ACLNN_API aclnnStatus aclnnFusedInferAttentionScoreV2GetWorkspaceSize(
    const aclTensor *query, const aclTensorList *key, const aclTensorList *value,
    const aclTensor *pseShiftOptional, const aclTensor *attenMaskOptional,
    const aclIntArray *actualSeqLengthsOptional, const aclIntArray *actualSeqLengthsKvOptional,
    const aclTensor *deqScale1Optional, const aclTensor *quantScale1Optional,
    const aclTensor *deqScale2Optional, const aclTensor *quantScale2Optional,
    const aclTensor *quantOffset2Optional, const aclTensor *antiquantScaleOptional,
    const aclTensor *antiquantOffsetOptional, const aclTensor *blockTableOptional,
    const aclTensor *queryPaddingSizeOptional, const aclTensor *kvPaddingSizeOptional,
    const aclTensor *keyAntiquantScaleOptional, const aclTensor *keyAntiquantOffsetOptional,
    const aclTensor *valueAntiquantScaleOptional, const aclTensor *valueAntiquantOffsetOptional,
    const aclTensor *keySharedPrefixOptional, const aclTensor *valueSharedPrefixOptional,
    const aclIntArray *actualSharedPrefixLenOptional, int64_t numHeads, double scaleValue,
    int64_t preTokens, int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads,
    int64_t sparseMode, int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode,
    bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
    const aclTensor *attentionOut, const aclTensor *softmaxLse, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFusedInferAttentionScoreV2(void *workspace, uint64_t workspaceSize,
                                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
