/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and offsets as numbers of 64 bits, in arrays of the host. */
#include "aclnnop/aclnn_trans_quant_param.h"

#include "api/op_check.h"
#include "kernels/int8/k_int8.h"
#include "kernels/kernels.h"
#include "runtime/support/alloc.h"

static aclnnStatus check_arrays(const char *who, const float *scales, uint64_t scale_count,
                                const float *offsets, uint64_t offset_count)
{
    OP_CHECK(who, scales, ACLNN_ERR_PARAM_NULLPTR, "scaleArray is NULL");
    OP_CHECK(who, scale_count > 0 && scale_count <= INT64_MAX / sizeof(uint64_t),
             ACLNN_ERR_PARAM_INVALID,
             "scaleSize is %" PRIu64 "; it must be at least 1 and less than 2^60", scale_count);
    OP_CHECK(who, offsets || offset_count == 0, ACLNN_ERR_PARAM_INVALID,
             "offsetArray is NULL and offsetSize %" PRIu64 "; it must be 0", offset_count);
    OP_CHECK(
        who,
        !offsets || offset_count == scale_count || offset_count == 1 ||
            (scale_count == 1 && offset_count > 0 && offset_count <= INT64_MAX / sizeof(uint64_t)),
        ACLNN_ERR_PARAM_INVALID,
        "offsetSize is %" PRIu64 " and scaleSize %" PRIu64 "; they must be equal, or one of them 1",
        offset_count, scale_count);
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnTransQuantParam(const float *scaleArray, uint64_t scaleSize,
                                 const float *offsetArray, uint64_t offsetSize,
                                 uint64_t **quantParam, uint64_t *quantParamSize)
{
    const char *who = "aclnnTransQuantParam";
    OP_CHECK(who, quantParam, ACLNN_ERR_PARAM_NULLPTR, "quantParam is NULL");
    OP_CHECK(who, quantParamSize, ACLNN_ERR_PARAM_NULLPTR, "quantParamSize is NULL");
    OP_TRY(check_arrays(who, scaleArray, scaleSize, offsetArray, offsetSize));
    const struct k_int8_param param = {
        .count = (int64_t)(offsetSize > scaleSize ? offsetSize : scaleSize),
        .scale_step = scaleSize > 1,
        .offset_step = offsetSize > 1,
        .has_offset = offsetArray != NULL,
    };
    uint64_t *made = rt_alloc((size_t)param.count * sizeof *made);
    OP_CHECK(who, made, ACLNN_ERR_INNER, "there is no host memory for %" PRId64 " numbers",
             param.count);
    void *const buffers[] = {[K_INT8_PARAM_SCALE] = (void *)(uintptr_t)scaleArray,
                             [K_INT8_PARAM_OFFSET] = (void *)(uintptr_t)offsetArray,
                             [K_INT8_PARAM_TO] = made};
    k_best()->int8_param(&param, buffers, (struct k_slice){0, param.count});
    *quantParam = made;
    *quantParamSize = (uint64_t)param.count;
    return ACLNN_SUCCESS;
}
