/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and offsets as one number of 64 bits, as aclnnQuantMatmulV3 takes them. */
#ifndef OP_API_INC_TRANS_QUANT_PARAM_V2_H
#define OP_API_INC_TRANS_QUANT_PARAM_V2_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The upper 19 bits of scale become bits 13 to 31 of out, bit 46 is set, and offset, rounded to
 * the nearest whole number (ties to even) and held between -256 and 255, becomes bits 37 to 45.
 * Other bits are 0.
 *
 * - scale: FLOAT, (n) or two dimensions. NaN and infinity are taken as they are.
 * - offset: NULL for 0, or FLOAT (n) or (1, n): as many elements as scale, or one. 255 from a NaN.
 * - out: UINT64 or INT64, of scale's shape, or of offset's where scale is (1). */
ACLNN_API aclnnStatus aclnnTransQuantParamV2GetWorkspaceSize(const aclTensor *scale,
                                                             const aclTensor *offset,
                                                             const aclTensor *out,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTransQuantParamV2(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
