/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnConvTbc and aclnnConvTbcBackward: convolution along time of (T, B, C) tensors. */
#include "api/op_conv.h"
#include "api/op_hand.h"
#include "runtime/support/base.h"

static const char *const FORWARD = "aclnnConvTbc";
static const char *const BACKWARD = "aclnnConvTbcBackward";

enum { RANK = 3, LAST_FORWARD = 4, LAST_BACKWARD = 3 };
enum { T, B, C };                              /* axes of activations */
enum { TAPS, LARGE_CHANNELS, SMALL_CHANNELS }; /* of weights */

/* What both operators have: input (T, Cin), output of a pass (T + 2 pad - K + 1, Cout). */
struct arguments {
    const char *name;
    const aclTensor *output, *input, *weight, *bias;
    const char *output_name, *input_name;
    int64_t pad;
};

static int64_t size_of(const aclTensor *tensor, int axis)
{
    return tensor->descriptor.sizes[axis];
}

static aclnnStatus check_format(const char *op, const char *argument, const aclTensor *tensor)
{
    return op_check_format(op, argument, tensor,
                           OP_FORMAT(ACL_FORMAT_ND) | OP_FORMAT(ACL_FORMAT_NCL), "ND or NCL");
}

static aclnnStatus check_rank(const char *op, const char *argument, const aclTensor *tensor)
{
    return op_check_rank(op, argument, tensor, RANK, RANK);
}

static aclnnStatus check_bias_length(const struct arguments *a)
{
    OP_CHECK(a->name, size_of(a->bias, 0) == size_of(a->weight, SMALL_CHANNELS),
             ACLNN_ERR_PARAM_INVALID,
             "bias has %" PRId64 " elements; it must have as many as dimension 2 of weight, which "
             "is %" PRId64,
             size_of(a->bias, 0), size_of(a->weight, SMALL_CHANNELS));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_channels(const struct arguments *a)
{
    OP_CHECK(a->name, size_of(a->input, C) == size_of(a->weight, LARGE_CHANNELS),
             ACLNN_ERR_PARAM_INVALID,
             "%s has %" PRId64 " channels; they must be dimension 1 of weight, which is %" PRId64,
             a->input_name, size_of(a->input, C), size_of(a->weight, LARGE_CHANNELS));
    return ACLNN_SUCCESS;
}

/* Windows along time; below 0: the kernel is longer than the padded input by more than one. */
static aclnnStatus check_time(const struct arguments *a, int64_t *windows)
{
    const int64_t time = size_of(a->input, T), taps = size_of(a->weight, TAPS);
    OP_CHECK(a->name, a->pad >= 0, ACLNN_ERR_PARAM_INVALID,
             "pad is %" PRId64 "; it must be at least 0", a->pad);
    OP_CHECK(a->name,
             rt_add_ok(time, a->pad, windows) && rt_add_ok(*windows, a->pad, windows) &&
                 rt_add_ok(*windows, 1 - taps, windows),
             ACLNN_ERR_PARAM_INVALID, "pad is %" PRId64 "; that does not fit 64 bits", a->pad);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_output(const struct arguments *a, int64_t windows)
{
    struct op_shape_text output, input, weight;
    OP_CHECK(a->name,
             size_of(a->output, T) == windows && size_of(a->output, B) == size_of(a->input, B) &&
                 size_of(a->output, C) == size_of(a->weight, SMALL_CHANNELS),
             ACLNN_ERR_PARAM_INVALID,
             "%s has shape %s; for %s of shape %s and weight of shape %s it must be (%" PRId64
             ", %" PRId64 ", %" PRId64 ")",
             a->output_name, op_shape(&output, a->output), a->input_name,
             op_shape(&input, a->input), op_shape(&weight, a->weight), windows,
             size_of(a->input, B), size_of(a->weight, SMALL_CHANNELS));
    return ACLNN_SUCCESS;
}

static struct op_conv conv_of(const struct arguments *a, int8_t cube_math_type)
{
    struct op_conv conv = {
        .name = a->name, .axes = 1, .groups = 1, .is_tbc = true, .cube_math_type = cube_math_type};
    op_conv_read(&conv, NULL, NULL, NULL);
    conv.pad_begin[K_CONV_AXES - 1] = conv.pad_end[K_CONV_AXES - 1] = a->pad;
    return conv;
}

/* ---- aclnnConvTbc: the checks, in CANN's order, but for sizes, which need the ranks first ---- */

static aclnnStatus check_forward(const struct arguments *a)
{
    OP_TRY(op_check_float(FORWARD, "bias", a->bias));
    OP_TRY(op_check_float(FORWARD, "self", a->input));
    OP_TRY(op_check_same_type(FORWARD, "weight", a->weight, "self", a->input));
    OP_TRY(op_check_same_type(FORWARD, "output", a->output, "weight", a->weight));
    OP_TRY(check_rank(FORWARD, "self", a->input));
    OP_TRY(check_rank(FORWARD, "weight", a->weight));
    OP_TRY(check_rank(FORWARD, "output", a->output));
    OP_TRY(op_check_rank(FORWARD, "bias", a->bias, 1, 1));
    OP_TRY(check_format(FORWARD, "self", a->input));
    OP_TRY(check_format(FORWARD, "weight", a->weight));
    OP_TRY(check_format(FORWARD, "output", a->output));
    OP_TRY(op_check_public_format(FORWARD, "bias", a->bias));
    OP_TRY(op_check_sizes(FORWARD, "self", a->input));
    OP_TRY(op_check_sizes(FORWARD, "weight", a->weight));
    OP_TRY(op_check_sizes(FORWARD, "output", a->output));
    OP_TRY(check_bias_length(a));
    OP_CHECK(FORWARD, size_of(a->weight, TAPS) > 0, ACLNN_ERR_PARAM_INVALID,
             "weight has no taps: its dimension 0 is 0; it must be at least 1");
    int64_t windows = 0;
    OP_TRY(check_time(a, &windows));
    OP_CHECK(FORWARD, op_is_empty(a->input) || windows > 0, ACLNN_ERR_PARAM_INVALID,
             "self has %" PRId64 " steps; with a pad of %" PRId64
             " no window of weight, which has %" PRId64 " taps, fits",
             size_of(a->input, T), a->pad, size_of(a->weight, TAPS));
    OP_TRY(check_channels(a));
    return check_output(a, windows > 0 ? windows : 0);
}

aclnnStatus OP_HAND(aclnnConvTbc)(const aclTensor *self, const aclTensor *weight,
                                  const aclTensor *bias, const int64_t pad, aclTensor *output,
                                  int8_t cubeMathType, uint64_t *workspaceSize,
                                  aclOpExecutor **executor)
{
    const struct arguments a = {FORWARD, output, self, weight, bias, "output", "self", pad};
    OP_CHECK_NOT_NULL(FORWARD, workspaceSize);
    OP_CHECK_NOT_NULL(FORWARD, executor);
    OP_CHECK_NOT_NULL(FORWARD, self);
    OP_CHECK_NOT_NULL(FORWARD, weight);
    OP_CHECK_NOT_NULL(FORWARD, bias);
    OP_CHECK_NOT_NULL(FORWARD, output);
    OP_TRY(check_forward(&a));
    OP_TRY(op_check_math_type(FORWARD, cubeMathType, LAST_FORWARD));
    OP_TRY(op_check_input_view(FORWARD, "self", self));
    OP_TRY(op_check_input_view(FORWARD, "weight", weight));
    OP_TRY(op_check_input_view(FORWARD, "bias", bias));
    OP_TRY(op_check_output_view(FORWARD, "output", output));
    const struct op_value values[] = {OP_VALUE_IN(self),    OP_VALUE_IN(weight),
                                      OP_VALUE_IN(bias),    OP_VALUE_INT64(pad),
                                      OP_VALUE_OUT(output), OP_VALUE_MATH(cubeMathType)};
    struct op_conv conv = conv_of(&a, cubeMathType);
    conv.values = values;
    conv.value_count = RT_LENGTH(values);
    return op_conv_forward_plan(&conv, self, weight, bias, output, workspaceSize, executor);
}

/* ---- aclnnConvTbcBackward ---- */

/* Arguments in the order of their types and formats. */
enum { SELF, INPUT, WEIGHT, BIAS, GRAD_INPUT, GRAD_WEIGHT, GRAD_BIAS, TENSORS };

static const char *const names[TENSORS] = {"self",      "input",      "weight",  "bias",
                                           "gradInput", "gradWeight", "gradBias"};

static aclnnStatus check_backward(const struct arguments *a, const aclTensor *const tensor[])
{
    for (int i = 0; i < TENSORS; i++)
        OP_TRY(op_check_float(BACKWARD, names[i], tensor[i]));
    for (int i = 0; i < TENSORS; i++) {
        if (i != BIAS && i != GRAD_BIAS)
            OP_TRY(check_format(BACKWARD, names[i], tensor[i]));
        else
            OP_TRY(op_check_format(BACKWARD, names[i], tensor[i], OP_FORMAT(ACL_FORMAT_ND), "ND"));
    }
    struct op_shape_text text;
    OP_CHECK(BACKWARD, !op_is_empty(a->output), ACLNN_ERR_PARAM_INVALID,
             "self is empty with its shape %s; each of its sizes must be at least 1",
             op_shape(&text, a->output));
    static const int by_rank[] = {SELF, INPUT, WEIGHT, BIAS, GRAD_BIAS, GRAD_INPUT, GRAD_WEIGHT};
    for (int i = 0; i < TENSORS; i++) {
        const int at = by_rank[i], rank = at == BIAS || at == GRAD_BIAS ? 1 : RANK;
        OP_TRY(op_check_rank(BACKWARD, names[at], tensor[at], rank, rank));
    }
    for (int i = 0; i < GRAD_INPUT; i++)
        OP_TRY(op_check_sizes(BACKWARD, names[i], tensor[i]));
    OP_TRY(check_channels(a));
    OP_TRY(check_bias_length(a));
    int64_t windows = 0;
    OP_TRY(check_time(a, &windows));
    OP_CHECK(BACKWARD, windows >= 0, ACLNN_ERR_PARAM_INVALID,
             "input has %" PRId64 " steps; with a pad of %" PRId64
             " no window of weight, which has %" PRId64 " taps, fits",
             size_of(a->input, T), a->pad, size_of(a->weight, TAPS));
    OP_TRY(check_output(a, windows));
    for (int i = GRAD_INPUT; i < TENSORS; i++) {
        const int model = i - GRAD_INPUT + INPUT;
        OP_TRY(op_check_same_shape(BACKWARD, names[i], tensor[i], names[model], tensor[model]));
    }
    return ACLNN_SUCCESS;
}

aclnnStatus OP_HAND(aclnnConvTbcBackward)(const aclTensor *self, const aclTensor *input,
                                          const aclTensor *weight, const aclTensor *bias,
                                          int64_t pad, int8_t cubeMathType, aclTensor *gradInput,
                                          aclTensor *gradWeight, aclTensor *gradBias,
                                          uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct arguments a = {BACKWARD, self, input, weight, bias, "self", "input", pad};
    const aclTensor *const tensor[TENSORS] = {self,      input,      weight,  bias,
                                              gradInput, gradWeight, gradBias};
    OP_CHECK_NOT_NULL(BACKWARD, workspaceSize);
    OP_CHECK_NOT_NULL(BACKWARD, executor);
    for (int i = 0; i < TENSORS; i++)
        OP_CHECK(BACKWARD, tensor[i] != NULL, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", names[i]);
    OP_TRY(check_backward(&a, tensor));
    OP_TRY(op_check_math_type(BACKWARD, cubeMathType, LAST_BACKWARD));
    for (int i = 0; i < BIAS; i++)
        OP_TRY(op_check_input_view(BACKWARD, names[i], tensor[i]));
    for (int i = GRAD_INPUT; i < TENSORS; i++)
        OP_TRY(op_check_output_view(BACKWARD, names[i], tensor[i]));
    const struct op_value values[] = {
        OP_VALUE_IN(self),       OP_VALUE_IN(input),       OP_VALUE_IN(weight),
        OP_VALUE_IN(bias),       OP_VALUE_INT64(pad),      OP_VALUE_MATH(cubeMathType),
        OP_VALUE_OUT(gradInput), OP_VALUE_OUT(gradWeight), OP_VALUE_OUT(gradBias)};
    struct op_conv conv = conv_of(&a, cubeMathType);
    conv.values = values;
    conv.value_count = RT_LENGTH(values);
    const struct op_conv_grad tensors = {
        .grad_output = self,
        .input = input,
        .weight = weight,
        .bias = bias,
        .grad_input = gradInput,
        .grad_weight = gradWeight,
        .grad_bias = gradBias,
        .declared = {gradInput, gradWeight, gradBias},
    };
    return op_conv_grad_plan(&conv, &tensors, workspaceSize, executor);
}
