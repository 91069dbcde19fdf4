/* SPDX-License-Identifier: Apache-2.0 */
/* What a quantised network would compute, with the mask that its gradient needs. */
#ifndef OP_API_INC_LEVEL2_ACLNN_FAKE_QUANT_PER_CHANNEL_AFFINE_CACHEMASK_H_
#define OP_API_INC_LEVEL2_ACLNN_FAKE_QUANT_PER_CHANNEL_AFFINE_CACHEMASK_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* q = round(self / scale) + zeroPoint, out = (q held between quantMin and quantMax, less
 * zeroPoint) scale, mask = quantMin <= q <= quantMax. PyTorch's
 * fake_quantize_per_channel_affine_cachemask. The quotient is one of FLOAT and rounded to the
 * nearest whole number, ties to even; what follows is exact up to the last product, which is
 * rounded to FLOAT and then to out's type. CANN divides, PyTorch multiplies by the inverse: q may
 * differ by one. Of a NaN mask is false and out that of quantMin.
 *
 * - self: 0 to 8 dimensions, FLOAT, FLOAT16 or BF16, any strides.
 * - scale: FLOAT, FLOAT16 or BF16, one dimension, as many as self has along axis.
 * - zeroPoint: INT32, scale's shape, taken to FLOAT.
 * - axis: from -rank to rank - 1.
 * - quantMin, quantMax: quantMax must not be less.
 * - out: self's shape and type. mask: self's shape, BOOL. Any strides. */
ACLNN_API aclnnStatus aclnnFakeQuantPerChannelAffineCachemaskGetWorkspaceSize(
    const aclTensor *self, const aclTensor *scale, const aclTensor *zeroPoint, int64_t axis,
    int64_t quantMin, int64_t quantMax, aclTensor *out, aclTensor *mask, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnFakeQuantPerChannelAffineCachemask(void *workspace,
                                                              uint64_t workspaceSize,
                                                              aclOpExecutor *executor,
                                                              aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
