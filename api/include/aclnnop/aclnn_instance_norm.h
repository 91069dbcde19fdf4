/* SPDX-License-Identifier: Apache-2.0 */
/* Instance normalisation. */
#ifndef OP_API_INC_INSTANCE_NORM_H_
#define OP_API_INC_INSTANCE_NORM_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y = (x - mean) / sqrt(variance + eps) gamma + beta, mean and variance over each channel of each
 * sample, as torch.nn.functional.instance_norm.
 *
 * - x: (N, C, H, W), or (N, H, W, C) with "NHWC"; FLOAT, FLOAT16, BF16 or DOUBLE.
 * - gamma, beta: (C), of any of these types.
 * - dataFormat: "NCHW" or "NHWC": the order of x's axes.
 * - eps: added to the variance.
 * - y: of x's shape; may be x.
 * - mean, variance: (N, C, 1, 1), or (N, 1, 1, C): of all elements, not of a sample. */
ACLNN_API aclnnStatus aclnnInstanceNormGetWorkspaceSize(
    const aclTensor *x, const aclTensor *gamma, const aclTensor *beta, const char *dataFormat,
    double eps, aclTensor *y, aclTensor *mean, aclTensor *variance, uint64_t *workspaceSize,
    aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnInstanceNorm(void *workspace, uint64_t workspaceSize,
                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
