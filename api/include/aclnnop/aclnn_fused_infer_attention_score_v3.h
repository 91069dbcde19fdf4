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
 * heads, key and value numKeyValueHeads (0: numHeads), a divisor of them. key and value are lists
 * of one tensor. A head has 1 to 512 elements, one of value may have fewer. FLOAT, too, which CANN
 * does not take.
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
 * of blockSize rows: (blocks, blockSize, H) or (blocks, N, blockSize, D). Rows k * blockSize and
 * following of sequence b are block blockTableOptional[b][k]; entries behind a sequence are not
 * looked at. actualSeqLengthsKvOptional must be given, and is the rows of each sequence. A number
 * that is none of a block is the stream's error, and its rows count as 0.
 *
 * softmaxLse, where softmaxLseFlag is true, is FLOAT (B, N, Sq, 1), of "TND" (T, N, 1): the
 * logarithm of the sum of exponentials plus the maximum, -infinity where no key is visible; else
 * it is not written and may be NULL. innerPrecise, antiquantMode, keyAntiquantMode and
 * valueAntiquantMode count for nothing. All other tensors must be NULL or empty: quantised, left-
 * padded or shared keys are not supported. */
#ifndef ACLNN_FUSED_INFER_ATTENTION_SCORE_V3_H_
#define ACLNN_FUSED_INFER_ATTENTION_SCORE_V3_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All that is said above; queryRopeOptional and keyRopeOptional must be NULL, too. */
ACLNN_API aclnnStatus aclnnFusedInferAttentionScoreV3GetWorkspaceSize(
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
    const aclIntArray *actualSharedPrefixLenOptional, const aclTensor *queryRopeOptional,
    const aclTensor *keyRopeOptional, const aclTensor *keyRopeAntiquantScaleOptional,
    int64_t numHeads, double scaleValue, int64_t preTokens, int64_t nextTokens, char *inputLayout,
    int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
    int64_t antiquantMode, bool softmaxLseFlag, int64_t keyAntiquantMode,
    int64_t valueAntiquantMode, const aclTensor *attentionOut, const aclTensor *softmaxLse,
    uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFusedInferAttentionScoreV3(void *workspace, uint64_t workspaceSize,
                                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
