/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnConvDepthwise2d: convolution of each channel on its own. */
#include "api/op_conv.h"
#include "api/op_hand.h"
#include "runtime/support/base.h"

static const char *const NAME = "aclnnConvDepthwise2d";

enum { AXES = 2, LAST_MATH_TYPE = 4 };

struct arguments {
    const aclTensor *self, *weight, *bias, *out;
    const aclIntArray *kernel, *stride, *padding, *dilation;
};

/* The checks, in CANN's order. */

static aclnnStatus check_types(const struct arguments *a)
{
    if (a->bias) {
        OP_TRY(op_check_float(NAME, "bias", a->bias));
        OP_TRY(op_check_same_type(NAME, "bias", a->bias, "self", a->self));
    }
    OP_TRY(op_check_float(NAME, "self", a->self));
    OP_TRY(op_check_float(NAME, "weight", a->weight));
    OP_TRY(op_check_float(NAME, "out", a->out));
    OP_TRY(op_check_same_type(NAME, "weight", a->weight, "self", a->self));
    return op_check_same_type(NAME, "out", a->out, "self", a->self);
}

static aclnnStatus check_ranks(const struct arguments *a)
{
    OP_TRY(op_check_rank(NAME, "self", a->self, AXES + 2, AXES + 2));
    OP_TRY(op_check_rank(NAME, "weight", a->weight, AXES + 2, AXES + 2));
    OP_TRY(op_check_rank(NAME, "out", a->out, AXES + 2, AXES + 2));
    if (a->bias) OP_TRY(op_check_rank(NAME, "bias", a->bias, 1, 1));
    OP_TRY(op_conv_check_length(NAME, "stride", a->stride, AXES, 0));
    OP_TRY(op_conv_check_length(NAME, "padding", a->padding, AXES, 0));
    return op_conv_check_length(NAME, "dilation", a->dilation, AXES, 0);
}

static aclnnStatus check_formats(const struct arguments *a)
{
    OP_TRY(op_conv_check_format(NAME, "self", a->self, false));
    OP_TRY(op_conv_check_format(NAME, "weight", a->weight, false));
    OP_TRY(op_conv_check_format(NAME, "out", a->out, false));
    return a->bias ? op_conv_check_bias_format(NAME, a->bias) : ACLNN_SUCCESS;
}

static aclnnStatus check_values(const struct arguments *a)
{
    OP_TRY(op_check_sizes(NAME, "self", a->self));
    OP_TRY(op_check_sizes(NAME, "weight", a->weight));
    OP_TRY(op_check_sizes(NAME, "out", a->out));
    OP_TRY(op_conv_check_taps(NAME, a->weight, AXES));
    OP_TRY(op_conv_check_values(NAME, "stride", a->stride, 1));
    OP_TRY(op_conv_check_values(NAME, "dilation", a->dilation, 1));
    return op_conv_check_values(NAME, "padding", a->padding, 0);
}

static aclnnStatus check_channels(const struct arguments *a)
{
    const int64_t *w = a->weight->descriptor.sizes, channels = op_conv_channels(a->self);
    OP_CHECK(NAME, w[1] == 1 || (w[1] == 0 && op_is_empty(a->self)), ACLNN_ERR_PARAM_INVALID,
             "dimension 1 of weight is %" PRId64 "; it must be 1", w[1]);
    OP_CHECK(NAME, channels == 0 ? w[0] == 0 : w[0] % channels == 0, ACLNN_ERR_PARAM_INVALID,
             "dimension 0 of weight is %" PRId64 "; it must be a multiple of self's channels, of "
             "which there are %" PRId64,
             w[0], channels);
    if (!a->bias) return ACLNN_SUCCESS;
    const int64_t length = a->bias->descriptor.sizes[0];
    OP_CHECK(NAME, length == w[0], ACLNN_ERR_PARAM_INVALID,
             "bias has %" PRId64 " elements; it must have as many as dimension 0 of weight, which "
             "is %" PRId64,
             length, w[0]);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_kernel(const struct arguments *a)
{
    OP_TRY(op_conv_check_length(NAME, "kernelSize", a->kernel, AXES, 0));
    for (int axis = 0; axis < AXES; axis++)
        OP_CHECK(NAME, a->kernel->values[axis] == op_conv_size(a->weight, axis),
                 ACLNN_ERR_PARAM_INVALID,
                 "kernelSize[%d] is %" PRId64 "; it must be weight's size, which is %" PRId64, axis,
                 a->kernel->values[axis], op_conv_size(a->weight, axis));
    return ACLNN_SUCCESS;
}

/* Phase 1. */

aclnnStatus OP_HAND(aclnnConvDepthwise2d)(const aclTensor *self, const aclTensor *weight,
                                          const aclIntArray *kernelSize, const aclTensor *bias,
                                          const aclIntArray *stride, const aclIntArray *padding,
                                          const aclIntArray *dilation, aclTensor *out,
                                          int8_t cubeMathType, uint64_t *workspaceSize,
                                          aclOpExecutor **executor)
{
    const struct arguments a = {self, weight, bias, out, kernelSize, stride, padding, dilation};
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_CHECK_NOT_NULL(NAME, self);
    OP_CHECK_NOT_NULL(NAME, weight);
    OP_CHECK_NOT_NULL(NAME, stride);
    OP_CHECK_NOT_NULL(NAME, padding);
    OP_CHECK_NOT_NULL(NAME, dilation);
    OP_CHECK_NOT_NULL(NAME, out);
    OP_CHECK_NOT_NULL(NAME, kernelSize);
    OP_TRY(check_types(&a));
    OP_TRY(check_ranks(&a));
    OP_TRY(check_formats(&a));
    OP_TRY(check_values(&a));
    const struct op_value values[] = {
        OP_VALUE_IN(self),       OP_VALUE_IN(weight),   OP_VALUE_INTS(kernelSize),
        OP_VALUE_OPTIONAL(bias), OP_VALUE_INTS(stride), OP_VALUE_INTS(padding),
        OP_VALUE_INTS(dilation), OP_VALUE_OUT(out),     OP_VALUE_MATH(cubeMathType)};
    struct op_conv conv = {.name = NAME,
                           .axes = AXES,
                           .groups = op_conv_channels(self),
                           .cube_math_type = cubeMathType,
                           .values = values,
                           .value_count = RT_LENGTH(values)};
    op_conv_read(&conv, stride, padding, dilation);
    OP_TRY(op_conv_check_windows(&conv, "self", self, weight));
    OP_TRY(check_channels(&a));
    OP_TRY(
        op_conv_check_result(&conv, "out", out, "self", self, weight, weight->descriptor.sizes[0]));
    OP_TRY(op_check_math_type(NAME, cubeMathType, LAST_MATH_TYPE));
    OP_TRY(check_kernel(&a));
    OP_TRY(op_check_input_view(NAME, "self", self));
    OP_TRY(op_check_input_view(NAME, "weight", weight));
    if (bias) OP_TRY(op_check_input_view(NAME, "bias", bias));
    OP_TRY(op_check_output_view(NAME, "out", out));
    return op_conv_forward_plan(&conv, self, weight, bias, out, workspaceSize, executor);
}
