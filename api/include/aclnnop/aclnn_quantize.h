/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as integers, as torch.quantize_per_tensor and torch.quantize_per_channel. */
#ifndef OP_API_INC_QUANTIZE_H_
#define OP_API_INC_QUANTIZE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = round(x / scales + zeroPoints), ties to even; beyond out's type the nearest end, 0 from a
 * NaN. Each operation is one of FLOAT. CANN divides, PyTorch multiplies by the inverse: the last
 * whole number may differ.
 *
 * - x: 1 to 8 dimensions, FLOAT, FLOAT16 or BF16, any strides.
 * - scales: one dimension, 1 or as many as x has along axis; FLOAT, FLOAT16 or BF16.
 * - zeroPoints: NULL for 0, or scales' shape; INT32, INT8, UINT8, FLOAT or BF16, taken to FLOAT.
 * - dtype: out's type.
 * - axis: from -rank to rank - 1.
 * - out: x's shape, INT8, UINT8 or INT32, any strides. */
ACLNN_API aclnnStatus aclnnQuantizeGetWorkspaceSize(const aclTensor *x, const aclTensor *scales,
                                                    const aclTensor *zeroPoints, aclDataType dtype,
                                                    int32_t axis, aclTensor *out,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnQuantize(void *workspace, uint64_t workspaceSize,
                                    aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
