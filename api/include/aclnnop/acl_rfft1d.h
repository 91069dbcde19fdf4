/* SPDX-License-Identifier: Apache-2.0 */
/* The Fourier transform of real lines. */
#ifndef OP_API_INC_RFFT1D_H_
#define OP_API_INC_RFFT1D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = the results 0 to n/2 of the discrete Fourier transform of self along dim, out[k] = scale
 * sum self[j] e^(-2 pi i j k / n): torch.fft.rfft. Made in double and rounded once.
 *
 * - self: FLOAT or DOUBLE, 1 to 7 dimensions. Lines that are shorter than n go on with zeros, of
 *   longer ones the first n elements count.
 * - n: from 1 to 2^24, any number.
 * - dim: from -rank to rank - 1.
 * - norm: 1, scale = 1; 2, scale = 1/n; 3, scale = 1/sqrt(n).
 * - out: of self's type and shape with n/2 + 1 along dim, and one dimension more: the real part,
 *   the imaginary part. */
ACLNN_API aclnnStatus aclRfft1DGetWorkspaceSize(const aclTensor *self, int64_t n, int64_t dim,
                                                int64_t norm, aclTensor *out,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclRfft1D(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
