/* SPDX-License-Identifier: Apache-2.0 */
/* A number for each channel. */
#ifndef OP_API_INC_BIAS_ADD_H_
#define OP_API_INC_BIAS_ADD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = x + bias of the channel. Integers wrap.
 *
 * - x: 2 to 8 dimensions; FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64 or UINT8, as all
 *   tensors.
 * - bias: (channels).
 * - dataFormatOptional: "NHWC" or "NDHWC": channels are x's last axis; "NCHW" or "NCDHW": the
 *   second one. NULL is "NHWC".
 * - out: of x's shape; may be x. */
ACLNN_API aclnnStatus aclnnBiasAddGetWorkspaceSize(const aclTensor *x, const aclTensor *bias,
                                                   char *dataFormatOptional, const aclTensor *out,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnBiasAdd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
