/* SPDX-License-Identifier: Apache-2.0 */
/* Two results of attention (aclnn_flash_attention_score.h) over different keys become that over
 * both, as where keys go round a ring of devices. With m the maxima and l the sums of exponentials
 *
 *     softmaxMaxOut = max(m0, m1)
 *     softmaxSumOut = l0 exp(m0 - softmaxMaxOut) + l1 exp(m1 - softmaxMaxOut)
 *     attnOutOut = (prevAttnOut l0 exp(m0 - softmaxMaxOut) + curAttnOut l1 exp(m1 - softmaxMaxOut))
 *                  / softmaxSumOut
 *
 * Statistics are computed in double, the rest in FLOAT, and rounded once. Results may be operands.
 *
 * - prevAttnOut, curAttnOut, attnOutOut: FLOAT, FLOAT16 or BF16, one type and shape.
 * - inputLayoutOptional: "SBH" (or NULL): (S, B, N * D), with statistics (B, N, S, 8); "TND": (T,
 * N, D), with statistics (T, N, 8).
 * - prevSoftmaxMax, prevSoftmaxSum, curSoftmaxMax, curSoftmaxSum, softmaxMaxOut, softmaxSumOut:
 *   FLOAT; of the eight numbers of a row the first is read, all are written.
 * - actualSeqQlenOptional: INT64, of "TND" where each sequence ends, and 0 before them. It must be
 *   given then: statistics lie by heads for each sequence, as attention leaves them, row number
 *   N * begin + n * length + i. Rows behind the last end are one more sequence. Numbers that are no
 *   ends are the stream's error, and nothing is written. */
#ifndef ACLNN_RING_ATTENTION_UPDATE_H_
#define ACLNN_RING_ATTENTION_UPDATE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All that is said above. */
ACLNN_API aclnnStatus aclnnRingAttentionUpdateGetWorkspaceSize(
    const aclTensor *prevAttnOut, const aclTensor *prevSoftmaxMax, const aclTensor *prevSoftmaxSum,
    const aclTensor *curAttnOut, const aclTensor *curSoftmaxMax, const aclTensor *curSoftmaxSum,
    const aclTensor *actualSeqQlenOptional, char *inputLayoutOptional, const aclTensor *attnOutOut,
    const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRingAttentionUpdate(void *workspace, uint64_t workspaceSize,
                                               aclOpExecutor *executor, aclrtStream stream);

/* The same, and inputSoftmaxLayoutOptional: "TND" where the statistics of "TND" lie as its rows do,
 * row number t * N + n, and actualSeqQlenOptional is not read; NULL, "" or "SBH": as above. */
ACLNN_API aclnnStatus aclnnRingAttentionUpdateV2GetWorkspaceSize(
    const aclTensor *prevAttnOut, const aclTensor *prevSoftmaxMax, const aclTensor *prevSoftmaxSum,
    const aclTensor *curAttnOut, const aclTensor *curSoftmaxMax, const aclTensor *curSoftmaxSum,
    const aclTensor *actualSeqQlenOptional, char *inputLayoutOptional,
    char *inputSoftmaxLayoutOptional, const aclTensor *attnOutOut, const aclTensor *softmaxMaxOut,
    const aclTensor *softmaxSumOut, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnRingAttentionUpdateV2(void *workspace, uint64_t workspaceSize,
                                                 aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
