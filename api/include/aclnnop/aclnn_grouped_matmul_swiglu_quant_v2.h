/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of experts through gated units, as INT8, with lists of weights. */
#ifndef OP_HOST_OP_API_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_V2_H
#define OP_HOST_OP_API_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_V2_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As aclnnGroupedMatmulSwigluQuant, and
 *
 * - x: INT4 too (or INT32, eight in each, along the last axis), dense, of an even k, where weight
 * is INT4: then c = (sum over parts of (x weight) weightScale) xScale.
 * - weight: a list of one tensor as there, or of a matrix (k, n), or (n / 32, k / 16, 16, 32), for
 *   each expert; weightScale and weightAssistMatrix, which is the bias there, then are lists of as
 *   many, without the dimension of experts. At most 128 tensors.
 * - weightAssistMatrix: given where x is INT8 and weight INT4, else NULL or empty. bias: NULL.
 * - smoothScale: NULL; or, where x is INT4, FLOAT (experts) or (experts, n / 2), with which s is
 *   multiplied.
 * - dequantMode: 0, or 1 with parts of the terms. dequantDtype: 0 or 28. quantMode: 0.
 * - groupListType: 0: groupList has the groups' ends; 1: how many rows each has.
 * - tuningConfig: not used. */
ACLNN_API aclnnStatus aclnnGroupedMatmulSwigluQuantV2GetWorkspaceSize(
    const aclTensor *x, const aclTensorList *weight, const aclTensorList *weightScale,
    const aclTensorList *weightAssistMatrix, const aclTensor *bias, const aclTensor *xScale,
    const aclTensor *smoothScale, const aclTensor *groupList, int64_t dequantMode,
    int64_t dequantDtype, int64_t quantMode, int64_t groupListType, const aclIntArray *tuningConfig,
    aclTensor *output, aclTensor *outputScale, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnGroupedMatmulSwigluQuantV2(void *workspace, uint64_t workspaceSize,
                                                      aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
