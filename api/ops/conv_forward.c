/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnConvolution: convolution and transposed convolution in one to three axes. */

#include "api/op_conv.h"
#include "api/op_hand.h"
#include "runtime/support/base.h"

static const char *const NAME = "aclnnConvolution";

enum { LAST_MATH_TYPE = 4 };

struct arguments {
    const aclTensor *input, *weight, *bias, *output;
    const aclIntArray *stride, *padding, *dilation, *output_padding;
    bool transposed;
    int64_t groups;
};

/* The checks, in CANN's order. */

static aclnnStatus check_types(const struct arguments *a)
{
    if (a->bias) OP_TRY(op_check_float(NAME, "bias", a->bias));
    OP_TRY(op_check_float(NAME, "input", a->input));
    OP_TRY(op_check_float(NAME, "weight", a->weight));
    return op_check_float(NAME, "output", a->output);
}

static bool output_channels(const struct arguments *a, int64_t *channels)
{
    if (a->transposed) return rt_mul_ok(op_conv_channels(a->weight), a->groups, channels);
    *channels = a->weight->descriptor.sizes[0];
    return true;
}

static aclnnStatus check_ranks(const struct arguments *a)
{
    OP_TRY(op_check_rank(NAME, "input", a->input, 3, 5));
    OP_TRY(op_check_rank(NAME, "weight", a->weight, 3, 5));
    OP_TRY(op_check_rank(NAME, "output", a->output, 3, 5));
    OP_TRY(op_check_same_rank(NAME, "weight", a->weight, "input", a->input));
    OP_TRY(op_check_same_rank(NAME, "output", a->output, "input", a->input));
    if (!a->bias) return ACLNN_SUCCESS;
    int64_t channels;
    OP_TRY(op_check_rank(NAME, "bias", a->bias, 1, 1));
    OP_CHECK(NAME, output_channels(a, &channels) && a->bias->descriptor.sizes[0] == channels,
             ACLNN_ERR_PARAM_INVALID,
             "bias has %" PRId64 " elements; it must have as many as there are output channels: "
             "%s",
             a->bias->descriptor.sizes[0],
             a->transposed ? "dimension 1 of weight times groups" : "dimension 0 of weight");
    return ACLNN_SUCCESS;
}

static aclnnStatus check_lengths(const struct arguments *a, int axes)
{
    OP_TRY(op_conv_check_length(NAME, "stride", a->stride, axes, 0));
    OP_TRY(op_conv_check_length(NAME, "dilation", a->dilation, axes, 0));
    const bool both_ends = axes == 2 || (axes == 1 && !a->transposed);
    OP_TRY(op_conv_check_length(NAME, "padding", a->padding, axes, both_ends ? 2 * axes : 0));
    if (!a->transposed) return ACLNN_SUCCESS;
    return op_conv_check_length(NAME, "outputPadding", a->output_padding, axes, 0);
}

static aclnnStatus check_format(const char *argument, const aclTensor *tensor)
{
    const uint64_t five = OP_FORMAT(ACL_FORMAT_NCDHW) | OP_FORMAT(ACL_FORMAT_NDHWC);
    if (tensor->descriptor.rank < 5) return op_conv_check_format(NAME, argument, tensor, false);
    return op_check_format(NAME, argument, tensor, five, "NCDHW or NDHWC for 5 dimensions");
}

static aclnnStatus check_formats(const struct arguments *a)
{
    OP_TRY(op_check_same_format(NAME, "output", a->output, "input", a->input));
    if (a->bias) OP_TRY(op_conv_check_bias_format(NAME, a->bias));
    OP_TRY(check_format("input", a->input));
    OP_TRY(check_format("weight", a->weight));
    return op_check_same_format(NAME, "weight", a->weight, "input", a->input);
}

static aclnnStatus check_output_padding(const struct arguments *a)
{
    if (!a->transposed) return ACLNN_SUCCESS;
    OP_TRY(op_conv_check_values(NAME, "outputPadding", a->output_padding, 0));
    for (uint64_t i = 0; i < a->output_padding->size; i++) {
        const int64_t extra = a->output_padding->values[i];
        OP_CHECK(NAME, extra < a->stride->values[i] || extra < a->dilation->values[i],
                 ACLNN_ERR_PARAM_INVALID,
                 "outputPadding[%" PRIu64 "] is %" PRId64 "; it must be less than stride[%" PRIu64
                 "] or dilation[%" PRIu64 "]",
                 i, extra, i, i);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_channels(const struct arguments *a)
{
    const int64_t outer = a->weight->descriptor.sizes[0], inner = op_conv_channels(a->weight);
    const int64_t channels = op_conv_channels(a->input);
    int64_t expected = outer;
    OP_CHECK(NAME, a->transposed || rt_mul_ok(inner, a->groups, &expected), ACLNN_ERR_PARAM_INVALID,
             "groups is %" PRId64 "; that many channels cannot be counted", a->groups);
    OP_CHECK(NAME, channels == expected, ACLNN_ERR_PARAM_INVALID,
             "input has %" PRId64 " channels; it must have %" PRId64 ": %s", channels, expected,
             a->transposed ? "dimension 0 of weight" : "dimension 1 of weight times groups");
    OP_CHECK(NAME, !a->transposed || channels > 0, ACLNN_ERR_PARAM_INVALID,
             "input has no channels; a transposed convolution needs some");
    OP_CHECK(NAME, outer % a->groups == 0, ACLNN_ERR_PARAM_INVALID,
             "dimension 0 of weight is %" PRId64 "; groups, which is %" PRId64 ", must divide it",
             outer, a->groups);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_values(const struct arguments *a, const struct op_conv *conv)
{
    OP_TRY(op_check_sizes(NAME, "input", a->input));
    OP_TRY(op_check_sizes(NAME, "weight", a->weight));
    OP_TRY(op_check_sizes(NAME, "output", a->output));
    OP_TRY(op_conv_check_taps(NAME, a->weight, conv->axes));
    OP_TRY(op_conv_check_values(NAME, "stride", a->stride, 1));
    OP_TRY(op_conv_check_values(NAME, "dilation", a->dilation, 1));
    return op_conv_check_values(NAME, "padding", a->padding, 0);
}

/* Phase 1. */

aclnnStatus OP_HAND(aclnnConvolution)(const aclTensor *input, const aclTensor *weight,
                                      const aclTensor *bias, const aclIntArray *stride,
                                      const aclIntArray *padding, const aclIntArray *dilation,
                                      bool transposed, const aclIntArray *outputPadding,
                                      const int64_t groups, aclTensor *output, int8_t cubeMathType,
                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct arguments a = {input,   weight,   bias,          output,     stride,
                                padding, dilation, outputPadding, transposed, groups};
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_CHECK_NOT_NULL(NAME, input);
    OP_CHECK_NOT_NULL(NAME, weight);
    OP_CHECK_NOT_NULL(NAME, stride);
    OP_CHECK_NOT_NULL(NAME, padding);
    OP_CHECK_NOT_NULL(NAME, dilation);
    OP_CHECK_NOT_NULL(NAME, output);
    if (transposed) OP_CHECK_NOT_NULL(NAME, outputPadding);
    OP_TRY(check_types(&a));
    OP_TRY(check_ranks(&a));
    const struct op_value values[] = {
        OP_VALUE_IN(input),        OP_VALUE_IN(weight),          OP_VALUE_OPTIONAL(bias),
        OP_VALUE_INTS(stride),     OP_VALUE_INTS(padding),       OP_VALUE_INTS(dilation),
        OP_VALUE_BOOL(transposed), OP_VALUE_INTS(outputPadding), OP_VALUE_INT64(groups),
        OP_VALUE_OUT(output),      OP_VALUE_MATH(cubeMathType)};
    struct op_conv conv = {.name = NAME,
                           .axes = input->descriptor.rank - 2,
                           .groups = groups,
                           .transposed = transposed,
                           .cube_math_type = cubeMathType,
                           .values = values,
                           .value_count = RT_LENGTH(values)};
    OP_TRY(check_lengths(&a, conv.axes));
    OP_TRY(check_formats(&a));
    OP_TRY(check_values(&a, &conv));
    op_conv_read(&conv, stride, padding, dilation);
    for (int axis = 0; transposed && axis < conv.axes; axis++)
        conv.output_padding[axis + K_CONV_AXES - conv.axes] = outputPadding->values[axis];
    OP_TRY(op_conv_check_windows(&conv, "input", input, weight));
    OP_CHECK(NAME, groups > 0, ACLNN_ERR_PARAM_INVALID,
             "groups is %" PRId64 "; it must be greater than 0", groups);
    OP_TRY(check_channels(&a));
    OP_TRY(check_output_padding(&a));
    int64_t channels = 0;
    OP_CHECK(NAME, output_channels(&a, &channels), ACLNN_ERR_PARAM_INVALID,
             "groups is %" PRId64 "; that many channels cannot be counted", groups);
    OP_TRY(op_conv_check_result(&conv, "output", output, "input", input, weight, channels));
    OP_TRY(op_check_math_type(NAME, cubeMathType, LAST_MATH_TYPE));
    OP_TRY(op_check_input_view(NAME, "input", input));
    OP_TRY(op_check_input_view(NAME, "weight", weight));
    if (bias) OP_TRY(op_check_input_view(NAME, "bias", bias));
    OP_TRY(op_check_output_view(NAME, "output", output));

    return op_conv_forward_plan(&conv, input, weight, bias, output, workspaceSize, executor);
}
