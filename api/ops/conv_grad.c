/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnextConvGrad: the gradients of convolution, with pads that may differ and autoPad. */
#include "aclnnext/aclnnext_conv_grad.h"

#include "api/op_conv.h"
#include "api/op_hand.h"
#include "runtime/support/base.h"

static const char *const NAME = "aclnnextConvGrad";

enum { LAST_MATH_TYPE = 3, OUTPUTS = 3 };

struct arguments {
    const aclTensor *grad_output, *input, *weight;
    const aclTensor *output[OUTPUTS]; /* gradInput, gradWeight, gradBias */
    const aclIntArray *strides, *pads_begin, *pads_end, *dilations;
    int64_t auto_pad;
};

static const char *const output_names[OUTPUTS] = {"gradInput", "gradWeight", "gradBias"};

/* The checks. */

static aclnnStatus check_types(const struct arguments *a)
{
    OP_TRY(op_check_float(NAME, "gradOutput", a->grad_output));
    OP_TRY(op_check_float(NAME, "input", a->input));
    OP_TRY(op_check_float(NAME, "weight", a->weight));
    for (int i = 0; i < OUTPUTS; i++)
        if (a->output[i]) OP_TRY(op_check_float(NAME, output_names[i], a->output[i]));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_ranks(const struct arguments *a)
{
    OP_TRY(op_check_rank(NAME, "gradOutput", a->grad_output, 3, 5));
    OP_TRY(op_check_same_rank(NAME, "input", a->input, "gradOutput", a->grad_output));
    OP_TRY(op_check_same_rank(NAME, "weight", a->weight, "gradOutput", a->grad_output));
    for (int i = 0; i < OUTPUTS - 1; i++)
        if (a->output[i])
            OP_TRY(op_check_same_rank(NAME, output_names[i], a->output[i], "gradOutput",
                                      a->grad_output));
    return a->output[2] ? op_check_rank(NAME, "gradBias", a->output[2], 1, 1) : ACLNN_SUCCESS;
}

static aclnnStatus check_format(const char *argument, const aclTensor *tensor)
{
    static const struct {
        uint64_t formats;
        const char *rule;
    } by_axes[] = {
        {OP_FORMAT(ACL_FORMAT_NCL) | OP_FORMAT(ACL_FORMAT_ND), "NCL or ND for 3 dimensions"},
        {OP_FORMAT(ACL_FORMAT_NCHW) | OP_FORMAT(ACL_FORMAT_NHWC) | OP_FORMAT(ACL_FORMAT_ND),
         "NCHW, NHWC or ND for 4 dimensions"},
        {OP_FORMAT(ACL_FORMAT_NCDHW) | OP_FORMAT(ACL_FORMAT_NDHWC) | OP_FORMAT(ACL_FORMAT_ND),
         "NCDHW, NDHWC or ND for 5 dimensions"},
    };
    const int i = tensor->descriptor.rank - 3;
    return op_check_format(NAME, argument, tensor, by_axes[i].formats, by_axes[i].rule);
}

static aclnnStatus check_formats(const struct arguments *a)
{
    OP_TRY(check_format("gradOutput", a->grad_output));
    OP_TRY(check_format("input", a->input));
    OP_TRY(check_format("weight", a->weight));
    for (int i = 0; i < OUTPUTS - 1; i++)
        if (a->output[i]) OP_TRY(check_format(output_names[i], a->output[i]));
    return a->output[2] ? op_check_public_format(NAME, "gradBias", a->output[2]) : ACLNN_SUCCESS;
}

static aclnnStatus check_result(int i, const aclTensor *result, const char *name,
                                const aclTensor *model)
{
    if (!result) return ACLNN_SUCCESS;
    OP_TRY(op_check_same_shape(NAME, output_names[i], result, name, model));
    return op_check_same_format(NAME, output_names[i], result, name, model);
}

static aclnnStatus check_shapes(const struct arguments *a)
{
    OP_TRY(op_check_sizes(NAME, "gradOutput", a->grad_output));
    OP_TRY(op_check_sizes(NAME, "input", a->input));
    OP_TRY(op_check_sizes(NAME, "weight", a->weight));
    for (int axis = 0; axis < a->weight->descriptor.rank - 2; axis++)
        OP_CHECK(NAME, op_conv_size(a->weight, axis) > 0, ACLNN_ERR_PARAM_INVALID,
                 "weight has size 0 along spatial axis %d; it must be greater than 0", axis);
    OP_TRY(check_result(0, a->output[0], "input", a->input));
    OP_TRY(check_result(1, a->output[1], "weight", a->weight));
    if (!a->output[2]) return ACLNN_SUCCESS;
    const int64_t size = a->output[2]->descriptor.sizes[0];
    const int64_t channels = op_conv_channels(a->grad_output);
    OP_CHECK(NAME, size == channels, ACLNN_ERR_PARAM_INVALID,
             "gradBias has %" PRId64 " elements; it must have as many as gradOutput has channels, "
             "which is %" PRId64,
             size, channels);
    return ACLNN_SUCCESS;
}

/* NULL, empty, one entry, or one per axis; *array becomes NULL when it is empty. */
static aclnnStatus check_array(const char *argument, const aclIntArray **array, int axes,
                               int64_t min)
{
    if (*array && (*array)->size == 0) *array = NULL;
    if (!*array) return ACLNN_SUCCESS;
    OP_CHECK(NAME, (*array)->size == 1 || (*array)->size == (uint64_t)axes, ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRIu64 " entries; it must have 0, 1 or %d", argument, (*array)->size, axes);
    return op_conv_check_values(NAME, argument, *array, min);
}

/* Pads of one axis that make ceil(size / stride) windows. */
static bool same_pads(struct op_conv *conv, int axis, int64_t size, int64_t kernel, bool upper)
{
    const int i = axis + K_CONV_AXES - conv->axes;
    const int64_t windows = size / conv->stride[i] + (size % conv->stride[i] != 0);
    int64_t reach, span;
    if (!rt_mul_ok(windows - 1, conv->stride[i], &reach) ||
        !rt_mul_ok(kernel - 1, conv->dilation[i], &span) || !rt_add_ok(span, 1 - size, &span) ||
        !rt_add_ok(reach, span, &reach))
        return false;
    const int64_t total = reach > 0 ? reach : 0;
    conv->pad_begin[i] = upper ? total / 2 : total - total / 2;
    conv->pad_end[i] = total - conv->pad_begin[i];
    return true;
}

static aclnnStatus check_attributes(struct arguments *a, struct op_conv *conv)
{
    OP_TRY(check_array("strides", &a->strides, conv->axes, 1));
    OP_TRY(check_array("dilations", &a->dilations, conv->axes, 1));
    OP_CHECK(NAME, a->auto_pad >= ACLNNEXT_AUTO_PAD_NONE && a->auto_pad <= ACLNNEXT_AUTO_PAD_VALID,
             ACLNN_ERR_PARAM_INVALID, "autoPad is %" PRId64 "; it must be 0 to 3", a->auto_pad);
    op_conv_read(conv, a->strides, NULL, a->dilations);
    for (int axis = 0; axis < conv->axes; axis++) {
        if (a->auto_pad == ACLNNEXT_AUTO_PAD_NONE || a->auto_pad == ACLNNEXT_AUTO_PAD_VALID) break;
        OP_CHECK(NAME,
                 same_pads(conv, axis, op_conv_size(a->input, axis), op_conv_size(a->weight, axis),
                           a->auto_pad == ACLNNEXT_AUTO_PAD_SAME_UPPER),
                 ACLNN_ERR_PARAM_INVALID, "strides and dilations do not fit 64 bits");
    }
    if (a->auto_pad == ACLNNEXT_AUTO_PAD_NONE) {
        OP_TRY(check_array("padsBegin", &a->pads_begin, conv->axes, 0));
        OP_TRY(check_array("padsEnd", &a->pads_end, conv->axes, 0));
        for (int axis = 0; axis < conv->axes; axis++) {
            const int i = axis + K_CONV_AXES - conv->axes;
            const aclIntArray *begin = a->pads_begin, *end = a->pads_end;
            conv->pad_begin[i] = begin ? begin->values[begin->size == 1 ? 0 : axis] : 0;
            conv->pad_end[i] = end ? end->values[end->size == 1 ? 0 : axis] : 0;
        }
    }
    OP_CHECK(NAME, conv->groups >= 1, ACLNN_ERR_PARAM_INVALID,
             "groups is %" PRId64 "; it must be at least 1", conv->groups);
    return op_check_math_type(NAME, conv->cube_math_type, LAST_MATH_TYPE);
}

static aclnnStatus check_views(const struct arguments *a)
{
    OP_TRY(op_check_input_view(NAME, "gradOutput", a->grad_output));
    OP_TRY(op_check_input_view(NAME, "input", a->input));
    OP_TRY(op_check_input_view(NAME, "weight", a->weight));
    for (int i = 0; i < OUTPUTS; i++)
        if (a->output[i]) OP_TRY(op_check_output_view(NAME, output_names[i], a->output[i]));
    return ACLNN_SUCCESS;
}

/* Phase 1. */

aclnnStatus OP_HAND(aclnnextConvGrad)(const aclTensor *gradOutput, const aclTensor *input,
                                      const aclTensor *weight, const aclIntArray *strides,
                                      const aclIntArray *padsBegin, const aclIntArray *padsEnd,
                                      const aclIntArray *dilations, int64_t autoPad, int64_t groups,
                                      int8_t cubeMathType, aclTensor *gradInput,
                                      aclTensor *gradWeight, aclTensor *gradBias,
                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct arguments a = {gradOutput, input,     weight,  {gradInput, gradWeight, gradBias},
                          strides,    padsBegin, padsEnd, dilations,
                          autoPad};
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_CHECK_NOT_NULL(NAME, gradOutput);
    OP_CHECK_NOT_NULL(NAME, input);
    OP_CHECK_NOT_NULL(NAME, weight);
    OP_CHECK(NAME, gradInput || gradWeight || gradBias, ACLNN_ERR_PARAM_NULLPTR,
             "gradInput, gradWeight and gradBias are all NULL");
    OP_TRY(check_types(&a));
    OP_TRY(check_ranks(&a));
    OP_TRY(check_formats(&a));
    OP_TRY(check_shapes(&a));
    const struct op_value values[] = {
        OP_VALUE_IN(gradOutput),     OP_VALUE_IN(input),       OP_VALUE_IN(weight),
        OP_VALUE_INTS(strides),      OP_VALUE_INTS(padsBegin), OP_VALUE_INTS(padsEnd),
        OP_VALUE_INTS(dilations),    OP_VALUE_INT64(autoPad),  OP_VALUE_INT64(groups),
        OP_VALUE_MATH(cubeMathType), OP_VALUE_OUT(gradInput),  OP_VALUE_OUT(gradWeight),
        OP_VALUE_OUT(gradBias)};
    struct op_conv conv = {.name = NAME,
                           .axes = input->descriptor.rank - 2,
                           .groups = groups,
                           .cube_math_type = cubeMathType,
                           .values = values,
                           .value_count = RT_LENGTH(values)};
    OP_TRY(check_attributes(&a, &conv));
    OP_TRY(op_conv_check_channels(&conv, "input", input, "gradOutput", gradOutput, weight));
    OP_TRY(op_conv_check_extents(&conv, "input", input, "gradOutput", gradOutput, weight));
    OP_TRY(check_views(&a));

    const struct op_conv_grad tensors = {
        .grad_output = gradOutput,
        .input = input,
        .weight = weight,
        .grad_input = gradInput,
        .grad_weight = gradWeight,
        .grad_bias = gradBias,
        .declared = {gradInput, gradWeight, gradBias},
    };
    return op_conv_grad_plan(&conv, &tensors, workspaceSize, executor);
}
