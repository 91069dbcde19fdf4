/* SPDX-License-Identifier: Apache-2.0 */
/* Weights in the layout of matrix products: here the one that they have. */
#ifndef OP_API_INC_TRANS_MATMUL_WEIGHT_H_
#define OP_API_INC_TRANS_MATMUL_WEIGHT_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Brings a weight to the layout that matrix products like best. That is the plain one here:
 * nothing is done.
 *
 * - mmWeightRef: any tensor. */
ACLNN_API aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor *mmWeightRef,
                                                             uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

/* Phase 2: queues the work; aclnn_base.h says how. */
ACLNN_API aclnnStatus aclnnTransMatmulWeight(void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

/* *weightTensorSize = elements that a weight of a shape takes in the layout of matrix products, for
 * aclnnTransMatmulWeight.
 *
 * - tensorShape: 2 to 8 numbers, none negative. Another count or a product beyond 2^63 is 161002.
 */
ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape,
                                                     uint64_t *weightTensorSize);

/* The same for weights of type dataType. */
ACLNN_API aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape,
                                                       aclDataType dataType,
                                                       uint64_t *weightTensorSize);

#ifdef __cplusplus
}
#endif

#endif
