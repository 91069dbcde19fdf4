/* SPDX-License-Identifier: Apache-2.0 */
/* The loss of connectionist temporal classification. */
#ifndef OP_API_INC_CTCLOSS_H_
#define OP_API_INC_CTCLOSS_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* negLogLikelihoodOut[n] = -log of the sum, over all paths that spell target n, of the product of
 * their probabilities, as torch.nn.functional.ctc_loss with reduction "none". A path names a class
 * for each time; it spells what is left when repetitions are dropped, then blanks.
 *
 * - logProbs: the logarithms of probabilities, (T, N, C), or (T, C) for one sample; FLOAT,
 *   FLOAT16, BF16 or DOUBLE, as all tensors but targets.
 * - targets: classes, (N, S), of which row n begins with target n, or (sum of targetlengths), the
 *   targets side by side. An integer type, BOOL, FLOAT or FLOAT16 (fractions are dropped).
 * - inputLengths: of each sample how many times count, 0 to T.
 * - targetlengths: the length of each target.
 * - blank: the class that stands for nothing.
 * - zeroInfinity: a loss that is infinite becomes 0. (PyTorch leaves that to its caller; the
 *   result is the same.)
 * - negLogLikelihoodOut: (N); of one sample without N also of no dimensions. A target that no path
 *   spells, as it is too long, has an infinite loss.
 * - logAlphaOut: (N, T, W), W at least 2 max(targetlengths) + 1: the logarithm of the sum over
 *   paths up to a time and a place of the target, blanks before, between and behind its classes;
 *   for aclnnCtcLossBackward. -infinity where there is none, also beyond a sample's own lengths.
 *
 * Sums are made in double. An element of targets that is no class is not followed: it counts as
 * the blank, and the stream's error is ACL_ERROR_RT_AICORE_EXCEPTION, whose text has its position
 * and value. A NaN among the classes of a target, or the blank's, makes a NaN. */
ACLNN_API aclnnStatus aclnnCtcLossGetWorkspaceSize(
    const aclTensor *logProbs, const aclTensor *targets, const aclIntArray *inputLengths,
    const aclIntArray *targetlengths, int64_t blank, bool zeroInfinity,
    aclTensor *negLogLikelihoodOut, aclTensor *logAlphaOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnCtcLoss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
