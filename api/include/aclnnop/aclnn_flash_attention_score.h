/* SPDX-License-Identifier: Apache-2.0 */
/* Attention with its softmax, fused: PyTorch's scaled_dot_product_attention, torch_npu's
 * npu_fusion_attention. For each sequence b, head n, query i and key j
 *
 *     s[i][j] = scaleValue * sum over d of query[i][d] * key[j][d]
 *     p[i][j] = exp(s[i][j] - m[i]) / l[i] where key j is visible, else 0
 *     attentionOutOut[i] = sum over j of kept[i][j] * p[i][j] * value[j]
 *
 * m is the maximum and l the sum of exponentials over the visible keys. The matrix of queries by
 * keys is never stored. Everything is computed in FLOAT; query, key, value, attentionOutOut have
 * one type.
 *
 * inputLayout tells the axes: "BSH" (batch, rows, heads and their elements together), "SBH",
 * "BSND", "BNSD"; "TND" for sequences of different lengths, one behind the other. query has
 * headNum heads, key and value the same number or a divisor of it: query head n meets key head n /
 * (headNum / that number). A head of query and key has 1 to 512 elements (D), one of value as many
 * or fewer. Any strides.
 *
 * attenMaskOptional, BOOL or UINT8, hides key j from query i where it is not 0. NULL: everything
 * is visible, and sparseMode, preTokens and nextTokens count for nothing. Else by sparseMode:
 *
 * - 0: visible where the mask is 0 and -preTokens <= j - i <= nextTokens.
 * - 1: where the mask is 0. 5: the same; prefixOptional must be there (not with TND).
 * - 2: where j <= i. 3: where j <= i + Skv - Sq.
 * - 4: where -preTokens <= j - i - (Skv - Sq) <= nextTokens.
 * - 6: as 3, and where j < prefixOptional[b].
 * - 7 (TND): as 3, but for the last sequence that is not empty, which is as 4.
 * - 8 (TND): as 2, but for the first sequence that is not empty, which is as 4.
 *
 * For modes 0, 1 and 5 the mask's shape is (B, N, Sq, Skv), where each axis may be 1, or its last
 * two or three axes; with TND of the longest sequences, or more. For the others it is (2048,
 * 2048), 3072 rows for mode 6: it is known what it holds, and it is not read. Blocks of keys that
 * no query sees are skipped, their values too.
 *
 * A query that sees no key (or only scores of -infinity) has zeros in attentionOutOut, -FLT_MAX in
 * softmaxMaxOut and FLT_MAX in softmaxSumOut, as CANN has them; without any key all three are 0.
 *
 * realShiftOptional (pse) is added: scaleValue * (sum + pse), by the V2 functions as pseType says:
 * 0 scaleValue * sum + pse, 1 as before, 2 scaleValue * sum - slope * |distance|, 3 scaleValue *
 * sum - slope * sqrt(|distance|). Its shape for 0 and 1 is (B, N, Sq, Skv), where each axis may be
 * 1, its type query's; CANN's form of 1024 rows is refused. For 2 and 3 it holds slopes, FLOAT of
 * shape (N) or (B, N), and distance is j - i + kvStartIdxOptional[0] - qStartIdxOptional[0] (NULL
 * or empty: 0).
 *
 * Dropout, where keepProb is less than 1: weight number ((b * N + n) * Sq + i) * Skv + j is
 * divided by keepProb where its bit of dropMaskOptional is 1 (bit e % 8 of byte e / 8: what
 * aclnnDropoutGenMask makes), and 0 elsewhere; with TND numbers go on from sequence to sequence.
 * keepProb 1: the mask is not read.
 *
 * softmaxMaxOut and softmaxSumOut, FLOAT (B, N, Sq, 8), get m and l, eight times each; the
 * gradient needs them. With TND they are (N, T, 8) or (T, N, 8) and hold the rows of each sequence
 * by heads, as CANN has them: row number N * begin + n * length + i. softmaxOutOut is not written
 * and may be NULL. innerPrecise counts for nothing. paddingMaskOptional must be NULL.
 *
 * The V3 and V4 functions are those of CANN versions after 8.1. */
#ifndef OP_API_INC_LEVEL2_ACLNN_FLASH_ATTENTION_SCORE_H_
#define OP_API_INC_LEVEL2_ACLNN_FLASH_ATTENTION_SCORE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All that is said above, without TND. */
ACLNN_API aclnnStatus aclnnFlashAttentionScoreGetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclIntArray *prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
    const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlashAttentionScore(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

/* The same with pseType. */
ACLNN_API aclnnStatus aclnnFlashAttentionScoreV2GetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclIntArray *prefixOptional, const aclIntArray *qStartIdxOptional,
    const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, int64_t pseType, const aclTensor *softmaxMaxOut,
    const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
    const aclTensor *attentionOutOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlashAttentionScoreV2(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

/* The same for sequences one behind the other. inputLayout is "TND": query is (T, headNum, D), key
 * and value have their own T. actualSeqQLenOptional[b] is how many rows of query the sequences up
 * to b have together, actualSeqKvLenOptional the same of key; they must be there, have as many
 * entries, and never fall. Rows behind the last sequence have zeros in the results.
 * realShiftOptional with pseType 0 or 1 needs sequences of one length. */
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScoreGetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLenOptional,
    const aclIntArray *actualSeqKvLenOptional, double scaleValue, double keepProb,
    int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
    const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScore(void *workspace, uint64_t workspaceSize,
                                                     aclOpExecutor *executor, aclrtStream stream);

/* The same with pseType. */
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScoreV2GetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLenOptional,
    const aclIntArray *actualSeqKvLenOptional, const aclIntArray *qStartIdxOptional,
    const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, int64_t pseType, const aclTensor *softmaxMaxOut,
    const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
    const aclTensor *attentionOutOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScoreV2(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

/* aclnnFlashAttentionVarLenScore, and softmaxOutLayout: NULL or empty, or "same_as_input":
 * softmaxMaxOut and softmaxSumOut hold the rows as query does, row number t * N + n. */
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScoreV4GetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLenOptional,
    const aclIntArray *actualSeqKvLenOptional, double scaleValue, double keepProb,
    int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, char *softmaxOutLayout, const aclTensor *softmaxMaxOut,
    const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
    const aclTensor *attentionOutOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScoreV4(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

/* aclnnFlashAttentionVarLenScoreV2, and a second part of query and key: queryRope and keyRope, of
 * their type, (T, headNum, Drope) and key's T and heads, whose heads have 1 to 64 elements. Scores
 * are scaleValue * (query[i] . key[j] + queryRope[i] . keyRope[j]), with the rest as before. Both
 * may be empty: there is none. CANN asks for a mask and takes neither bias nor dropout; here all
 * go. */
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScoreV3GetWorkspaceSize(
    const aclTensor *query, const aclTensor *queryRope, const aclTensor *key,
    const aclTensor *keyRope, const aclTensor *value, const aclTensor *realShiftOptional,
    const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
    const aclTensor *attenMaskOptional, const aclIntArray *prefixOptional,
    const aclIntArray *actualSeqQLenOptional, const aclIntArray *actualSeqKvLenOptional,
    const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
    double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
    int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor *softmaxMaxOut,
    const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
    const aclTensor *attentionOutOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlashAttentionVarLenScoreV3(void *workspace, uint64_t workspaceSize,
                                                       aclOpExecutor *executor, aclrtStream stream);

/* aclnnFlashAttentionScoreV2 and aclnnFlashAttentionVarLenScoreV2 together, with any inputLayout,
 * and softmaxOutLayout as above. Where keepProb is less than 1 and dropMaskOptional is NULL, the
 * mask is the one that aclnnDropoutGenMaskV2 makes of seed, offset and 1 - keepProb.
 * queryRopeOptional and keyRopeOptional, with the axes of query and key, are second parts as those
 * of aclnnFlashAttentionVarLenScoreV3, or NULL. dScaleQOptional, dScaleKOptional and
 * dScaleVOptional must be NULL; sinkOptional is aclnnFlashAttentionScoreV3's; outDtype counts for
 * nothing. */
ACLNN_API aclnnStatus aclnnFlashAttentionScoreV4GetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclTensor *queryRopeOptional, const aclTensor *keyRopeOptional,
    const aclTensor *dScaleQOptional, const aclTensor *dScaleKOptional,
    const aclTensor *dScaleVOptional, const aclTensor *sinkOptional,
    const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLenOptional,
    const aclIntArray *actualSeqKvLenOptional, const aclIntArray *qStartIdxOptional,
    const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
    int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
    int64_t sparseMode, int64_t outDtype, int64_t pseType, char *softmaxOutLayout, int64_t seed,
    int64_t offset, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
    const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlashAttentionScoreV4(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

/* aclnnFlashAttentionScoreV2 with sinks: sinkOptional, FLOAT (N) or NULL, is a score of each head
 * that every query sees and that has no value. m and l have it in them. Where there are no keys it
 * does not count. */
ACLNN_API aclnnStatus aclnnFlashAttentionScoreV3GetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value,
    const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
    const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
    const aclTensor *sinkOptional, const aclIntArray *prefixOptional,
    const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
    double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
    int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor *softmaxMaxOut,
    const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
    const aclTensor *attentionOutOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFlashAttentionScoreV3(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
