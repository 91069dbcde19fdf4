/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms of windows of a signal. */
#ifndef OP_API_INC_STFT_H_
#define OP_API_INC_STFT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[w, m] = scale sum window[k] self[m hopLength + k] e^(-2 pi i w k / nFft), 0 <= k < nFft:
 * torch.stft of a signal that is padded already. A window shorter than nFft lies in its middle,
 * with zeros on both sides. Made in double and rounded once.
 *
 * - self: FLOAT, DOUBLE, COMPLEX64 or COMPLEX128, [L] or [B, L].
 * - windowOptional: of its type, winLength elements; NULL is all ones.
 * - out: [N, T] or [B, N, T] of complex numbers where returnComplex is true, else one dimension
 *   more of real and imaginary parts; N is nFft/2 + 1 where onesided is true, else nFft, and T =
 *   (L - nFft) / hopLength + 1.
 * - nFft: from 1 to L and to 2^24. hopLength: at least 1. winLength: from 1 to nFft.
 * - normalized: scale is 1/sqrt(nFft), not 1.
 * - onesided: must be false for complex signals. */
ACLNN_API aclnnStatus aclStftGetWorkspaceSize(const aclTensor *self,
                                              const aclTensor *windowOptional, aclTensor *out,
                                              int64_t nFft, int64_t hopLength, int64_t winLength,
                                              bool normalized, bool onesided, bool returnComplex,
                                              uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclStft(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                              aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
