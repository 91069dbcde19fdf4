/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_conv.h"

aclnnStatus op_conv_check_values(const char *op, const char *argument, const aclIntArray *array,
                                 int64_t min)
{
    for (uint64_t i = 0; i < array->size; i++) {
        OP_CHECK(op, array->values[i] >= min, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; it must be at least %" PRId64, argument, i,
                 array->values[i], min);
        OP_CHECK(op, array->values[i] <= INT32_MAX, ACLNN_ERR_PARAM_INVALID,
                 "%s[%" PRIu64 "] is %" PRId64 "; it must be at most %d", argument, i,
                 array->values[i], INT32_MAX);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus op_conv_check_length(const char *op, const char *argument, const aclIntArray *array,
                                 int axes, int other)
{
    if (other != 0)
        OP_CHECK(op, array->size == (uint64_t)axes || array->size == (uint64_t)other,
                 ACLNN_ERR_PARAM_INVALID, "%s has %" PRIu64 " entries; it must have %d or %d",
                 argument, array->size, axes, other);
    else
        OP_CHECK(op, array->size == (uint64_t)axes, ACLNN_ERR_PARAM_INVALID,
                 "%s has %" PRIu64 " entries; it must have %d", argument, array->size, axes);
    return ACLNN_SUCCESS;
}

aclnnStatus op_conv_check_format(const char *op, const char *argument, const aclTensor *tensor,
                                 bool accept_nd)
{
    const uint64_t nd = accept_nd ? OP_FORMAT(ACL_FORMAT_ND) : 0;
    switch (tensor->descriptor.rank) {
    case 3:
        return op_check_format(op, argument, tensor, OP_FORMAT(ACL_FORMAT_NCL) | nd,
                               accept_nd ? "NCL or ND for 3 dimensions" : "NCL for 3 dimensions");
    case 4:
        return op_check_format(op, argument, tensor, OP_FORMAT(ACL_FORMAT_NCHW),
                               "NCHW for 4 dimensions");
    default:
        return op_check_format(op, argument, tensor, OP_FORMAT(ACL_FORMAT_NCDHW),
                               "NCDHW for 5 dimensions");
    }
}

void op_conv_read(struct op_conv *conv, const aclIntArray *stride, const aclIntArray *padding,
                  const aclIntArray *dilation)
{
    for (int i = 0; i < K_CONV_AXES; i++) {
        const int axis = i - (K_CONV_AXES - conv->axes);
        conv->stride[i] = conv->dilation[i] = 1;
        conv->pad_begin[i] = conv->pad_end[i] = 0;
        if (axis < 0) continue;
        if (stride) conv->stride[i] = stride->values[stride->size == 1 ? 0 : axis];
        if (dilation) conv->dilation[i] = dilation->values[dilation->size == 1 ? 0 : axis];
        if (!padding) continue;
        const bool apart = padding->size == 2 * (uint64_t)conv->axes;
        const uint64_t begin = padding->size == 1 ? 0 : (uint64_t)(apart ? 2 * axis : axis);
        conv->pad_begin[i] = padding->values[begin];
        conv->pad_end[i] = padding->values[begin + apart];
    }
}

aclnnStatus op_conv_check_taps(const char *op, const aclTensor *weight, int axes)
{
    for (int axis = 0; axis < axes; axis++)
        OP_CHECK(op, op_conv_size(weight, axis) > 0, ACLNN_ERR_PARAM_INVALID,
                 "weight has no taps along spatial axis %d, where its size is 0; it must be at "
                 "least 1",
                 axis);
    return ACLNN_SUCCESS;
}

bool op_conv_extent(const struct op_conv *conv, int axis, int64_t large, int64_t kernel,
                    int64_t *small)
{
    const int i = axis + K_CONV_AXES - conv->axes;
    int64_t padded, span, room;
    if (!rt_mul_ok(kernel - 1, conv->dilation[i], &span) || !rt_add_ok(span, 1, &span) ||
        !rt_add_ok(large, conv->pad_begin[i], &padded) ||
        !rt_add_ok(padded, conv->pad_end[i], &padded) || !rt_add_ok(padded, -span, &room))
        return false;
    *small = room < 0 ? 0 : room / conv->stride[i] + 1;
    return true;
}

/* NHWC and NDHWC list the channels last. */
static bool is_channels_last(const aclTensor *tensor)
{
    const int32_t format = tensor->descriptor.storage_format;
    return format == ACL_FORMAT_NHWC || format == ACL_FORMAT_NDHWC;
}

int op_conv_channel_axis(const aclTensor *tensor)
{
    return is_channels_last(tensor) ? tensor->descriptor.rank - 1 : 1;
}

int op_conv_spatial_axis(const aclTensor *tensor, int axis)
{
    return is_channels_last(tensor) ? axis + 1 : axis + 2;
}

int64_t op_conv_channels(const aclTensor *tensor)
{
    return tensor->descriptor.sizes[op_conv_channel_axis(tensor)];
}

int64_t op_conv_size(const aclTensor *tensor, int axis)
{
    return tensor->descriptor.sizes[op_conv_spatial_axis(tensor, axis)];
}

aclnnStatus op_conv_check_channels(const struct op_conv *conv, const char *large_name,
                                   const aclTensor *large, const char *small_name,
                                   const aclTensor *small, const aclTensor *weight)
{
    const int64_t outer = weight->descriptor.sizes[0], inner = op_conv_channels(weight);
    const int64_t of_small = op_conv_channels(small);
    const int64_t of_large = op_conv_channels(large);
    OP_CHECK(conv->name, of_small == outer, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " channels; dimension 0 of weight, which is %" PRId64
             ", must be the same",
             small_name, of_small, outer);
    int64_t expected;
    OP_CHECK(conv->name, rt_mul_ok(inner, conv->groups, &expected) && of_large == expected,
             ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " channels; they must be dimension 1 of weight, which is %" PRId64
             ", times groups, which is %" PRId64,
             large_name, of_large, inner, conv->groups);
    OP_CHECK(conv->name, outer % conv->groups == 0, ACLNN_ERR_PARAM_INVALID,
             "dimension 0 of weight is %" PRId64 "; groups, which is %" PRId64 ", must divide it",
             outer, conv->groups);
    return ACLNN_SUCCESS;
}

aclnnStatus op_conv_check_extents(const struct op_conv *conv, const char *large_name,
                                  const aclTensor *large, const char *small_name,
                                  const aclTensor *small, const aclTensor *weight)
{
    struct op_shape_text large_text, small_text, weight_text;
    for (int axis = 0; axis < conv->axes; axis++) {
        const int64_t extent = op_conv_size(large, axis);
        const int64_t kernel = op_conv_size(weight, axis);
        int64_t expected;
        OP_CHECK(conv->name, op_conv_extent(conv, axis, extent, kernel, &expected),
                 ACLNN_ERR_PARAM_INVALID,
                 "padding and dilation along spatial axis %d of %s do not fit 64 bits", axis,
                 large_name);
        OP_CHECK(conv->name, expected > 0, ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; along spatial axis %d no window of weight, which is %s, fits "
                 "even with padding",
                 large_name, op_shape(&large_text, large), axis, op_shape(&weight_text, weight));
        OP_CHECK(conv->name, op_conv_size(small, axis) == expected, ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; for %s of shape %s and weight of shape %s its spatial axis %d "
                 "must be %" PRId64,
                 small_name, op_shape(&small_text, small), large_name, op_shape(&large_text, large),
                 op_shape(&weight_text, weight), axis, expected);
    }
    OP_CHECK(conv->name, small->descriptor.sizes[0] == large->descriptor.sizes[0],
             ACLNN_ERR_PARAM_INVALID,
             "%s has a batch of %" PRId64 "; it must be %s's, which is %" PRId64, small_name,
             small->descriptor.sizes[0], large_name, large->descriptor.sizes[0]);
    return ACLNN_SUCCESS;
}

aclnnStatus op_conv_check_bias_format(const char *op, const aclTensor *bias)
{
    return op_check_format(op, "bias", bias,
                           OP_FORMAT(ACL_FORMAT_ND) | OP_FORMAT(ACL_FORMAT_NCL) |
                               OP_FORMAT(ACL_FORMAT_NCHW) | OP_FORMAT(ACL_FORMAT_NCDHW),
                           "ND, NCL, NCHW or NCDHW");
}

/* The extent that a result has along an axis. */
static bool result_extent(const struct op_conv *conv, int axis, const aclTensor *input,
                          const aclTensor *weight, int64_t *extent)
{
    const int i = axis + K_CONV_AXES - conv->axes;
    const int64_t size = op_conv_size(input, axis), kernel = op_conv_size(weight, axis);
    int64_t reach, span, sum;
    if (!conv->transposed) return op_conv_extent(conv, axis, size, kernel, extent);
    return rt_mul_ok(size - 1, conv->stride[i], &reach) &&
           rt_mul_ok(kernel - 1, conv->dilation[i], &span) && rt_add_ok(reach, span, &sum) &&
           rt_add_ok(sum, conv->output_padding[i], &sum) &&
           rt_add_ok(sum, -conv->pad_begin[i], &sum) &&
           rt_add_ok(sum, 1 - conv->pad_end[i], extent);
}

aclnnStatus op_conv_check_windows(const struct op_conv *conv, const char *input_name,
                                  const aclTensor *input, const aclTensor *weight)
{
    struct op_shape_text input_text, weight_text;
    for (int axis = 0; axis < conv->axes; axis++) {
        int64_t extent;
        OP_CHECK(conv->name, result_extent(conv, axis, input, weight, &extent),
                 ACLNN_ERR_PARAM_INVALID,
                 "stride, padding and dilation along spatial axis %d do not fit 64 bits", axis);
        OP_CHECK(conv->name, conv->transposed || op_is_empty(input) || extent > 0,
                 ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; along spatial axis %d no window of weight, which is %s, fits "
                 "even with padding",
                 input_name, op_shape(&input_text, input), axis, op_shape(&weight_text, weight));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus op_conv_check_result(const struct op_conv *conv, const char *result_name,
                                 const aclTensor *result, const char *input_name,
                                 const aclTensor *input, const aclTensor *weight, int64_t channels)
{
    struct op_shape_text result_text, input_text, weight_text;
    OP_CHECK(conv->name,
             result->descriptor.sizes[0] == input->descriptor.sizes[0] &&
                 op_conv_channels(result) == channels,
             ACLNN_ERR_PARAM_INVALID,
             "%s has shape %s; it must have the batch of %s, which is %s, and %" PRId64 " channels",
             result_name, op_shape(&result_text, result), input_name, op_shape(&input_text, input),
             channels);
    for (int axis = 0; axis < conv->axes; axis++) {
        int64_t extent = -1;
        OP_CHECK(conv->name,
                 result_extent(conv, axis, input, weight, &extent) &&
                     op_conv_size(result, axis) == extent,
                 ACLNN_ERR_PARAM_INVALID,
                 "%s has shape %s; for %s of shape %s and weight of shape %s its spatial axis %d "
                 "must be %" PRId64,
                 result_name, op_shape(&result_text, result), input_name,
                 op_shape(&input_text, input), op_shape(&weight_text, weight), axis, extent);
    }
    OP_CHECK(conv->name, op_is_empty(result) || !(op_is_empty(input) || op_is_empty(weight)),
             ACLNN_ERR_PARAM_INVALID, "%s is not empty although %s or weight is", result_name,
             input_name);
    return ACLNN_SUCCESS;
}
