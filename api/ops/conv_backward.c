/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnConvolutionBackward: the gradients of convolution and of transposed convolution. */

#include "api/op_conv.h"
#include "api/op_hand.h"
#include "runtime/support/base.h"

static const char *const NAME = "aclnnConvolutionBackward";

enum { LAST_MATH_TYPE = 3, INPUT = 0, WEIGHT, BIAS, OUTPUTS };

struct arguments {
    const aclTensor *gradOutput, *input, *weight;
    const aclIntArray *biasSizes, *stride, *padding, *dilation, *outputPadding;
    bool transposed;
    int groups;
    const aclBoolArray *outputMask;
    int8_t cubeMathType;
    const aclTensor *gradInput, *gradWeight, *gradBias;
};

/* The checks, in CANN's order. */

static aclnnStatus check_nulls(const struct arguments *a)
{
    OP_CHECK(NAME, a->gradOutput != NULL, ACLNN_ERR_PARAM_NULLPTR, "gradOutput is NULL");
    OP_CHECK(NAME, a->input != NULL, ACLNN_ERR_PARAM_NULLPTR, "input is NULL");
    OP_CHECK(NAME, a->weight != NULL, ACLNN_ERR_PARAM_NULLPTR, "weight is NULL");
    OP_CHECK(NAME, a->stride != NULL, ACLNN_ERR_PARAM_NULLPTR, "stride is NULL");
    OP_CHECK(NAME, a->padding != NULL, ACLNN_ERR_PARAM_NULLPTR, "padding is NULL");
    OP_CHECK(NAME, a->dilation != NULL, ACLNN_ERR_PARAM_NULLPTR, "dilation is NULL");
    OP_CHECK(NAME, a->outputPadding != NULL, ACLNN_ERR_PARAM_NULLPTR, "outputPadding is NULL");
    OP_CHECK(NAME, a->outputMask != NULL, ACLNN_ERR_PARAM_NULLPTR, "outputMask is NULL");
    /* CANN's code for a mask of the wrong length. */
    OP_CHECK(NAME, a->outputMask->size == OUTPUTS, ACLNN_ERR_PARAM_NULLPTR,
             "outputMask has %" PRIu64 " entries; it must have %d", a->outputMask->size, OUTPUTS);
    const aclTensor *outputs[OUTPUTS] = {a->gradInput, a->gradWeight, a->gradBias};
    static const char *const names[OUTPUTS] = {"gradInput", "gradWeight", "gradBias"};
    for (int i = 0; i < OUTPUTS; i++)
        OP_CHECK(NAME, outputs[i] || !a->outputMask->values[i], ACLNN_ERR_PARAM_NULLPTR,
                 "%s is NULL although outputMask[%d] is true", names[i], i);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_types(const struct arguments *a)
{
    OP_TRY(op_check_float(NAME, "gradOutput", a->gradOutput));
    OP_TRY(op_check_float(NAME, "input", a->input));
    OP_TRY(op_check_float(NAME, "weight", a->weight));
    if (a->gradInput) OP_TRY(op_check_float(NAME, "gradInput", a->gradInput));
    if (a->gradWeight) OP_TRY(op_check_float(NAME, "gradWeight", a->gradWeight));
    if (a->gradBias) OP_TRY(op_check_float(NAME, "gradBias", a->gradBias));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_format(const char *argument, const aclTensor *tensor)
{
    if (!tensor) return ACLNN_SUCCESS;
    OP_TRY(op_check_rank(NAME, argument, tensor, 3, 5));
    return op_conv_check_format(NAME, argument, tensor, true);
}

static aclnnStatus check_formats(const struct arguments *a)
{
    OP_TRY(check_format("gradOutput", a->gradOutput));
    OP_TRY(check_format("input", a->input));
    OP_TRY(check_format("weight", a->weight));
    OP_TRY(check_format("gradInput", a->gradInput));
    OP_TRY(check_format("gradWeight", a->gradWeight));
    if (!a->gradBias || a->transposed) return ACLNN_SUCCESS;
    return op_check_format(NAME, "gradBias", a->gradBias, OP_FORMAT(ACL_FORMAT_ND), "ND");
}

/* Of a transposed convolution; in others it has no meaning, and programs pass anything. */
static aclnnStatus check_output_padding(const struct arguments *a)
{
    const aclIntArray *array = a->outputPadding;
    for (uint64_t i = 0; a->transposed && i < array->size; i++) {
        const int64_t value = array->values[i];
        OP_CHECK(NAME, value >= 0, ACLNN_ERR_PARAM_INVALID,
                 "outputPadding[%" PRIu64 "] is %" PRId64 "; it must be at least 0", i, value);
        if (a->gradOutput->descriptor.rank != 5 || i >= a->stride->size) continue;
        OP_CHECK(NAME, value < a->stride->values[i], ACLNN_ERR_PARAM_INVALID,
                 "outputPadding[%" PRIu64 "] is %" PRId64 "; it must be less than stride[%" PRIu64
                 "], which is %" PRId64,
                 i, value, i, a->stride->values[i]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_attributes(const struct arguments *a)
{
    OP_TRY(op_conv_check_values(NAME, "stride", a->stride, 1));
    OP_TRY(op_conv_check_values(NAME, "padding", a->padding, 0));
    OP_TRY(op_conv_check_values(NAME, "dilation", a->dilation, 1));
    OP_TRY(check_output_padding(a));
    OP_CHECK(NAME, a->groups >= 1, ACLNN_ERR_PARAM_INVALID, "groups is %d; it must be at least 1",
             a->groups);
    return op_check_math_type(NAME, a->cubeMathType, LAST_MATH_TYPE);
}

static aclnnStatus check_lengths(const struct arguments *a)
{
    const int axes = a->input->descriptor.rank - 2, both_ends = axes == 2 ? 4 : 0;
    OP_TRY(op_conv_check_length(NAME, "stride", a->stride, axes, 0));
    OP_TRY(op_conv_check_length(NAME, "dilation", a->dilation, axes, 0));
    OP_TRY(op_conv_check_length(NAME, "padding", a->padding, axes, both_ends));
    if (!a->transposed) return ACLNN_SUCCESS;
    return op_conv_check_length(NAME, "outputPadding", a->outputPadding, axes, both_ends);
}

static aclnnStatus check_sizes(const struct arguments *a)
{
    OP_TRY(op_check_sizes(NAME, "gradOutput", a->gradOutput));
    OP_TRY(op_check_sizes(NAME, "input", a->input));
    OP_TRY(op_check_sizes(NAME, "weight", a->weight));
    if (a->gradInput)
        OP_TRY(op_check_same_shape(NAME, "gradInput", a->gradInput, "input", a->input));
    if (a->gradWeight)
        OP_TRY(op_check_same_shape(NAME, "gradWeight", a->gradWeight, "weight", a->weight));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_bias(const struct arguments *a)
{
    if (!a->gradBias) return ACLNN_SUCCESS;
    OP_TRY(op_check_rank(NAME, "gradBias", a->gradBias, 1, 1));
    const int64_t channels = a->gradOutput->descriptor.sizes[1];
    OP_CHECK(NAME, a->gradBias->descriptor.sizes[0] == channels, ACLNN_ERR_PARAM_INVALID,
             "gradBias has %" PRId64 " elements; it must have as many as gradOutput has channels, "
             "which is %" PRId64,
             a->gradBias->descriptor.sizes[0], channels);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_shapes(const struct arguments *a)
{
    OP_TRY(op_check_same_rank(NAME, "input", a->input, "gradOutput", a->gradOutput));
    OP_TRY(op_check_same_rank(NAME, "weight", a->weight, "gradOutput", a->gradOutput));
    struct op_shape_text text;
    OP_CHECK(NAME, !op_is_empty(a->gradOutput), ACLNN_ERR_PARAM_INVALID,
             "gradOutput is empty with its shape %s; where input and weight are not, it must have "
             "elements",
             op_shape(&text, a->gradOutput));
    OP_TRY(check_sizes(a));
    OP_TRY(check_bias(a));
    return check_lengths(a);
}

static aclnnStatus check_views(const struct arguments *a)
{
    OP_TRY(op_check_input_view(NAME, "gradOutput", a->gradOutput));
    OP_TRY(op_check_input_view(NAME, "input", a->input));
    OP_TRY(op_check_input_view(NAME, "weight", a->weight));
    const bool *mask = a->outputMask->values;
    if (mask[INPUT]) OP_TRY(op_check_output_view(NAME, "gradInput", a->gradInput));
    if (mask[WEIGHT]) OP_TRY(op_check_output_view(NAME, "gradWeight", a->gradWeight));
    if (mask[BIAS]) OP_TRY(op_check_output_view(NAME, "gradBias", a->gradBias));
    return ACLNN_SUCCESS;
}

/* ---- an empty input or weight ---- */

static aclnnStatus check_empty_bias(const struct arguments *a)
{
    if (!a->outputMask->values[BIAS]) return ACLNN_SUCCESS;
    const int64_t *w = a->weight->descriptor.sizes;
    int64_t channels = a->gradOutput->descriptor.sizes[1];
    OP_CHECK(NAME, !a->transposed || rt_mul_ok(w[1], a->groups, &channels), ACLNN_ERR_PARAM_INVALID,
             "groups is %d; that many channels cannot be counted", a->groups);
    OP_CHECK(NAME, a->biasSizes != NULL, ACLNN_ERR_PARAM_INVALID,
             "biasSizes is NULL; an empty input or weight with outputMask[2] needs it");
    OP_CHECK(NAME, a->biasSizes->size == 1, ACLNN_ERR_PARAM_INVALID,
             "biasSizes has %" PRIu64 " entries; it must have 1", a->biasSizes->size);
    OP_CHECK(NAME, a->biasSizes->values[0] == channels, ACLNN_ERR_PARAM_INVALID,
             "biasSizes[0] is %" PRId64 "; it must be the channels of gradOutput, %" PRId64,
             a->biasSizes->values[0], channels);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_empty(const struct arguments *a, struct op_conv *conv)
{
    OP_TRY(op_check_same_rank(NAME, "input", a->input, "gradOutput", a->gradOutput));
    OP_TRY(op_check_same_rank(NAME, "weight", a->weight, "gradOutput", a->gradOutput));
    OP_TRY(check_sizes(a));
    const int64_t *x = a->input->descriptor.sizes, *w = a->weight->descriptor.sizes;
    OP_TRY(check_empty_bias(a));
    OP_TRY(check_bias(a));
    OP_CHECK(NAME, !a->outputMask->values[INPUT] || x[0] == 0 || x[1] == 0, ACLNN_ERR_PARAM_INVALID,
             "input or weight is empty; gradInput then needs an input without batch or channels");
    OP_TRY(check_lengths(a));
    op_conv_read(conv, a->stride, a->padding, a->dilation);
    OP_CHECK(NAME, w[0] % a->groups == 0, ACLNN_ERR_PARAM_INVALID,
             "dimension 0 of weight is %" PRId64 "; groups, which is %d, must divide it", w[0],
             a->groups);
    if (a->transposed) {
        OP_CHECK(NAME, w[0] > 0 && w[0] == x[1], ACLNN_ERR_PARAM_INVALID,
                 "input has %" PRId64 " channels; they must be dimension 0 of weight, which is "
                 "%" PRId64 ", and not 0",
                 x[1], w[0]);
        return check_views(a);
    }
    int64_t channels;
    OP_CHECK(NAME, rt_mul_ok(w[1], a->groups, &channels) && channels == x[1],
             ACLNN_ERR_PARAM_INVALID,
             "input has %" PRId64 " channels; they must be dimension 1 of weight, which is %" PRId64
             ", times groups, which is %d",
             x[1], w[1], a->groups);
    for (int axis = 0; axis < conv->axes; axis++) {
        int64_t expected;
        OP_CHECK(NAME,
                 op_conv_extent(conv, axis, x[axis + 2], w[axis + 2], &expected) && expected > 0,
                 ACLNN_ERR_PARAM_INVALID,
                 "input has size %" PRId64 " along spatial axis %d; no window of weight, which has "
                 "%" PRId64 ", fits even with padding",
                 x[axis + 2], axis, w[axis + 2]);
    }
    return check_views(a);
}

static aclnnStatus plan_empty(const struct arguments *a, const struct op_conv *conv,
                              uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const bool *mask = a->outputMask->values;
    struct ex_plan *plan = ex_plan_new(NAME);
    ex_input(plan, op_descriptor(a->gradOutput));
    ex_input(plan, op_descriptor(a->input));
    ex_input(plan, op_descriptor(a->weight));
    ex_output(plan, a->gradInput ? op_descriptor(a->gradInput) : NULL);
    int dw = ex_output(plan, a->gradWeight ? op_descriptor(a->gradWeight) : NULL);
    int db = ex_output(plan, a->gradBias ? op_descriptor(a->gradBias) : NULL);
    op_conv_note(plan, conv);
    if (mask[WEIGHT]) op_conv_zero(plan, dw, a->gradWeight);
    if (mask[BIAS]) op_conv_zero(plan, db, a->gradBias);
    return ex_seal(plan, workspaceSize, executor);
}

/* Phase 1. */

aclnnStatus OP_HAND(aclnnConvolutionBackward)(
    const aclTensor *gradOutput, const aclTensor *input, const aclTensor *weight,
    const aclIntArray *biasSizes, const aclIntArray *stride, const aclIntArray *padding,
    const aclIntArray *dilation, bool transposed, const aclIntArray *outputPadding, int groups,
    const aclBoolArray *outputMask, int8_t cubeMathType, aclTensor *gradInput,
    aclTensor *gradWeight, aclTensor *gradBias, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct arguments a = {gradOutput, input,        weight,        biasSizes,  stride,
                                padding,    dilation,     outputPadding, transposed, groups,
                                outputMask, cubeMathType, gradInput,     gradWeight, gradBias};
    OP_CHECK_NOT_NULL(NAME, workspaceSize);
    OP_CHECK_NOT_NULL(NAME, executor);
    OP_TRY(check_nulls(&a));
    OP_TRY(check_types(&a));
    OP_TRY(check_formats(&a));
    OP_TRY(check_attributes(&a));
    const struct op_value values[] = {
        OP_VALUE_IN(gradOutput),  OP_VALUE_IN(input),         OP_VALUE_IN(weight),
        OP_VALUE_INTS(biasSizes), OP_VALUE_INTS(stride),      OP_VALUE_INTS(padding),
        OP_VALUE_INTS(dilation),  OP_VALUE_BOOL(transposed),  OP_VALUE_INTS(outputPadding),
        OP_VALUE_INT(groups),     OP_VALUE_BOOLS(outputMask), OP_VALUE_MATH(cubeMathType),
        OP_VALUE_OUT(gradInput),  OP_VALUE_OUT(gradWeight),   OP_VALUE_OUT(gradBias)};
    struct op_conv conv = {.name = NAME,
                           .axes = input->descriptor.rank - 2,
                           .groups = groups,
                           .transposed = transposed,
                           .cube_math_type = cubeMathType,
                           .values = values,
                           .value_count = RT_LENGTH(values)};
    if (op_is_empty(input) || op_is_empty(weight)) {
        OP_TRY(check_empty(&a, &conv));
        return plan_empty(&a, &conv, workspaceSize, executor);
    }
    OP_TRY(check_shapes(&a));
    op_conv_read(&conv, stride, padding, dilation);
    const aclTensor *large = transposed ? gradOutput : input;
    const aclTensor *small = transposed ? input : gradOutput;
    const char *large_name = transposed ? "gradOutput" : "input";
    const char *small_name = transposed ? "input" : "gradOutput";
    OP_TRY(op_conv_check_channels(&conv, large_name, large, small_name, small, weight));
    OP_TRY(op_conv_check_extents(&conv, large_name, large, small_name, small, weight));
    OP_TRY(check_views(&a));

    const bool *mask = outputMask->values;
    const struct op_conv_grad tensors = {
        .grad_output = gradOutput,
        .input = input,
        .weight = weight,
        .grad_input = mask[INPUT] ? gradInput : NULL,
        .grad_weight = mask[WEIGHT] ? gradWeight : NULL,
        .grad_bias = mask[BIAS] ? gradBias : NULL,
        .declared = {gradInput, gradWeight, gradBias},
    };
    return op_conv_grad_plan(&conv, &tensors, workspaceSize, executor);
}
