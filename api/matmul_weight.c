/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of weights in the layout of matrix products, which is the plain one. */
#include "aclnnop/aclnn_trans_matmul_weight.h"

#include "api/op_check.h"

static aclnnStatus weight_size(const char *who, const aclIntArray *shape, uint64_t *size)
{
    int64_t elements = 1;
    OP_CHECK(who, shape, ACLNN_ERR_PARAM_NULLPTR, "tensorShape is NULL");
    OP_CHECK(who, size, ACLNN_ERR_PARAM_NULLPTR, "weightTensorSize is NULL");
    OP_CHECK(who, shape->size >= 2 && shape->size <= EX_MAX_RANK, ACLNN_ERR_PARAM_INVALID,
             "tensorShape has %" PRIu64 " elements; it must have from 2 to %d", shape->size,
             EX_MAX_RANK);
    for (uint64_t i = 0; i < shape->size; i++)
        OP_CHECK(who,
                 shape->values[i] >= 0 &&
                     !__builtin_mul_overflow(elements, shape->values[i], &elements),
                 ACLNN_ERR_PARAM_INVALID,
                 "tensorShape[%" PRIu64 "] is %" PRId64
                 "; it must not be negative, and the product must be less than 2^63",
                 i, shape->values[i]);
    *size = (uint64_t)elements;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape,
                                           uint64_t *weightTensorSize)
{
    return weight_size("aclnnCalculateMatmulWeightSize", tensorShape, weightTensorSize);
}

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape, aclDataType dataType,
                                             uint64_t *weightTensorSize)
{
    const char *who = "aclnnCalculateMatmulWeightSizeV2";
    OP_CHECK(who, ex_element_size((int32_t)dataType) > 0, ACLNN_ERR_PARAM_INVALID,
             "dataType is %s; elements must have a size", op_data_type_name(dataType));
    return weight_size(who, tensorShape, weightTensorSize);
}
