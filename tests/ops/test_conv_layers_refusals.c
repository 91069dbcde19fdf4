/* SPDX-License-Identifier: Apache-2.0 */
/* What aclnnConvDepthwise2d, aclnnConvTbc and aclnnConvTbcBackward refuse: the code, and a text
 * with the operator's name, the argument and the value; each list is in the order of the checks,
 * and with two faults at once the earlier one speaks. And their empty tensors. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/conv_rig.h"

static struct conv_rig rig;

static void begin(void)
{
    conv_rig_begin(&rig);
}

static void end(void)
{
    conv_rig_end(&rig);
}

TestSuite(conv_layers_refusals, .init = begin, .fini = end, .timeout = 600);

static struct conv_case good_case(enum conv_operator op)
{
    struct conv_case test = {.op = op, .axes = 1, .mask = {true, true, true}, .seed = 4};
    test.conv = (struct oracle_conv){.batch = 2,
                                     .groups = 1,
                                     .large_channels = 3,
                                     .small_channels = 4,
                                     .large = {1, 1, 7},
                                     .small = {1, 1, 7},
                                     .kernel = {1, 1, 3},
                                     .stride = {1, 1, 1},
                                     .dilation = {1, 1, 1},
                                     .pad = {0, 0, 1}};
    test.pad_end[2] = 1;
    for (int i = 0; i < CONV_TENSORS; i++)
        test.format[i] = ACL_FORMAT_ND;
    if (op != CONV_DEPTHWISE) return test;
    test.axes = 2;
    test.conv.groups = 3;
    test.conv.large_channels = 1;
    test.conv.small_channels = 2;
    test.conv.large[1] = 5;
    test.conv.small[1] = 4;
    test.conv.kernel[1] = 2;
    for (int i = 0; i < CONV_BIAS; i++)
        test.format[i] = ACL_FORMAT_NCHW;
    return test;
}

/* A change of the arguments: a tensor's or an array's, by index, to a value. */
enum change {
    IS_NULL,
    TYPE,
    FORMAT,
    RANK,
    SIZE_0,
    SIZE_1,
    SIZE_2,
    SIZE_3,
    NO_ARRAY,
    LENGTH,
    ENTRY_0,
    ENTRY_1,
    KERNEL_LENGTH,
    KERNEL_1,
    NO_KERNEL,
    MATH,
};

struct fault {
    enum change change;
    int index;
    int64_t value;
    aclnnStatus code;
    const char *words[2];
};

static void make(const struct fault *fault)
{
    struct operand *o = &rig.operand[fault->index % CONV_TENSORS];
    struct rig_array *array = &rig.call.array[fault->index % CONV_ARRAYS];
    switch (fault->change) {
    case IS_NULL:
        rig.call.is_null[fault->index] = true;
        break;
    case TYPE:
        o->type = (aclDataType)fault->value;
        break;
    case FORMAT:
        o->format = (aclFormat)fault->value;
        o->keeps_order = true;
        break;
    case RANK:
        o->rank = (int)fault->value;
        break;
    case SIZE_0:
    case SIZE_1:
    case SIZE_2:
    case SIZE_3:
        o->dims[fault->change - SIZE_0] = fault->value;
        break;
    case NO_ARRAY:
        array->is_null = true;
        break;
    case LENGTH:
        array->length = (int)fault->value;
        break;
    case ENTRY_0:
    case ENTRY_1:
        array->values[fault->change - ENTRY_0] = fault->value;
        break;
    case KERNEL_LENGTH:
        rig.call.kernel.length = (int)fault->value;
        break;
    case KERNEL_1:
        rig.call.kernel.values[1] = fault->value;
        break;
    case NO_KERNEL:
        rig.call.kernel.is_null = true;
        break;
    case MATH:
        rig.call.math = (int)fault->value;
        break;
    }
}

static void check(enum conv_operator op, const struct fault *first, const struct fault *second)
{
    static float memory[1];
    const struct conv_case test = good_case(op);
    uint64_t size = 4711;
    aclOpExecutor *executor = NULL;
    conv_rig_load(&rig, &test);
    make(second);
    make(first);
    for (int i = 0; i < CONV_TENSORS; i++) {
        rig.operand[i].data = memory; /* phase 1 reads no data */
        operand_open(&rig.operand[i]);
    }
    const aclnnStatus status = conv_rig_phase1(&rig, &size, &executor);
    const char *text = aclGetRecentErrMsg();
    for (int i = 0; i < CONV_TENSORS; i++)
        operand_close(&rig.operand[i]);
    cr_assert_eq(status, first->code, "%s %s %s: %d %s", conv_operator_name(op), first->words[0],
                 first->words[1], (int)status, text ? text : "");
    cr_assert(text && strstr(text, conv_operator_name(op)), "%s", text);
    for (int i = 0; i < 2; i++)
        cr_assert(strstr(text, first->words[i]), "no '%s' in: %s", first->words[i], text);
    cr_assert(size == 4711 && !executor, "outputs were written");
}

static void check_all(enum conv_operator op, const struct fault *faults, int count)
{
    const struct conv_case good = good_case(op);
    cr_assert(conv_rig_check(&rig, &good), "%s", rig.text);
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
            check(op, &faults[i], &faults[j]);
}

#define NONE         ACLNN_ERR_PARAM_NULLPTR
#define BAD          ACLNN_ERR_PARAM_INVALID
#define LENGTH_OF(a) ((int)(sizeof(a) / sizeof *(a)))

Test(conv_layers_refusals, depthwise)
{
    static const struct fault faults[] = {
        {IS_NULL, CONV_INPUT, 0, NONE, {"self", "NULL"}},
        {IS_NULL, CONV_WEIGHT, 0, NONE, {"weight", "NULL"}},
        {NO_ARRAY, CONV_STRIDE, 0, NONE, {"stride", "NULL"}},
        {NO_ARRAY, CONV_PADDING, 0, NONE, {"padding", "NULL"}},
        {NO_ARRAY, CONV_DILATION, 0, NONE, {"dilation", "NULL"}},
        {IS_NULL, CONV_OUTPUT, 0, NONE, {"out", "NULL"}},
        {NO_KERNEL, 0, 0, NONE, {"kernelSize", "NULL"}},
        {TYPE, CONV_BIAS, ACL_DOUBLE, BAD, {"bias", "DOUBLE"}},
        {TYPE, CONV_BIAS, ACL_FLOAT16, BAD, {"bias", "FLOAT16"}},
        {TYPE, CONV_WEIGHT, ACL_INT8, BAD, {"weight", "INT8"}},
        {TYPE, CONV_OUTPUT, ACL_INT32, BAD, {"out", "INT32"}},
        {TYPE, CONV_WEIGHT, ACL_BF16, BAD, {"weight", "BF16"}},
        {TYPE, CONV_OUTPUT, ACL_FLOAT16, BAD, {"out", "FLOAT16"}},
        {RANK, CONV_INPUT, 3, BAD, {"self", "3 dimensions"}},
        {RANK, CONV_WEIGHT, 5, BAD, {"weight", "5 dimensions"}},
        {RANK, CONV_OUTPUT, 3, BAD, {"out", "3 dimensions"}},
        {RANK, CONV_BIAS, 2, BAD, {"bias", "2 dimensions"}},
        {LENGTH, CONV_STRIDE, 1, BAD, {"stride", "1 entries"}},
        {LENGTH, CONV_PADDING, 4, BAD, {"padding", "4 entries"}},
        {LENGTH, CONV_DILATION, 3, BAD, {"dilation", "3 entries"}},
        {FORMAT, CONV_INPUT, ACL_FORMAT_NHWC, BAD, {"self", "NHWC"}},
        {FORMAT, CONV_WEIGHT, ACL_FORMAT_ND, BAD, {"weight", "ND"}},
        {FORMAT, CONV_OUTPUT, ACL_FORMAT_NHWC, BAD, {"out", "NHWC"}},
        {FORMAT, CONV_BIAS, ACL_FORMAT_NC1HWC0, BAD, {"bias", "NC1HWC0"}},
        {SIZE_0, CONV_INPUT, -2, BAD, {"self", "-2"}},
        {SIZE_2, CONV_WEIGHT, 0, BAD, {"weight", "no taps"}},
        {ENTRY_1, CONV_STRIDE, 0, BAD, {"stride[1]", "is 0"}},
        {ENTRY_0, CONV_DILATION, 0, BAD, {"dilation[0]", "is 0"}},
        {ENTRY_0, CONV_PADDING, -1, BAD, {"padding[0]", "-1"}},
        {SIZE_3, CONV_WEIGHT, 40, BAD, {"self", "no window"}},
        {SIZE_1, CONV_WEIGHT, 2, BAD, {"dimension 1 of weight", "is 2"}},
        {SIZE_0, CONV_WEIGHT, 7, BAD, {"dimension 0 of weight", "is 7"}},
        {SIZE_0, CONV_BIAS, 5, BAD, {"bias", "5 elements"}},
        {SIZE_3, CONV_OUTPUT, 8, BAD, {"out", "(2, 6, 4, 8)"}},
        {MATH, 0, 5, BAD, {"cubeMathType", "5"}},
        {KERNEL_LENGTH, 0, 1, BAD, {"kernelSize", "1 entries"}},
        {KERNEL_1, 0, 2, BAD, {"kernelSize[1]", "is 2"}},
    };
    check_all(CONV_DEPTHWISE, faults, LENGTH_OF(faults));
}

Test(conv_layers_refusals, tbc)
{
    static const struct fault faults[] = {
        {IS_NULL, CONV_INPUT, 0, NONE, {"self", "NULL"}},
        {IS_NULL, CONV_WEIGHT, 0, NONE, {"weight", "NULL"}},
        {IS_NULL, CONV_BIAS, 0, NONE, {"bias", "NULL"}},
        {IS_NULL, CONV_OUTPUT, 0, NONE, {"output", "NULL"}},
        {TYPE, CONV_BIAS, ACL_DOUBLE, BAD, {"bias", "DOUBLE"}},
        {TYPE, CONV_INPUT, ACL_INT8, BAD, {"self", "INT8"}},
        {TYPE, CONV_WEIGHT, ACL_FLOAT16, BAD, {"weight", "FLOAT16"}},
        {TYPE, CONV_OUTPUT, ACL_BF16, BAD, {"output", "BF16"}},
        {RANK, CONV_INPUT, 2, BAD, {"self", "2 dimensions"}},
        {RANK, CONV_WEIGHT, 4, BAD, {"weight", "4 dimensions"}},
        {RANK, CONV_OUTPUT, 2, BAD, {"output", "2 dimensions"}},
        {RANK, CONV_BIAS, 2, BAD, {"bias", "2 dimensions"}},
        {FORMAT, CONV_INPUT, ACL_FORMAT_NCHW, BAD, {"self", "NCHW"}},
        {FORMAT, CONV_WEIGHT, ACL_FORMAT_NHWC, BAD, {"weight", "NHWC"}},
        {FORMAT, CONV_OUTPUT, ACL_FORMAT_NCDHW, BAD, {"output", "NCDHW"}},
        {FORMAT, CONV_BIAS, ACL_FORMAT_FRACTAL_Z, BAD, {"bias", "FRACTAL_Z"}},
        {SIZE_1, CONV_INPUT, -2, BAD, {"self", "-2"}},
        {SIZE_0, CONV_BIAS, 5, BAD, {"bias", "5 elements"}},
        {SIZE_0, CONV_WEIGHT, 0, BAD, {"weight", "no taps"}},
        {ENTRY_0, CONV_PADDING, -1, BAD, {"pad ", "-1"}},
        {ENTRY_0, CONV_PADDING, INT64_MAX, BAD, {"pad ", "64 bits"}},
        {SIZE_0, CONV_WEIGHT, 10, BAD, {"self", "10 taps"}},
        {SIZE_1, CONV_WEIGHT, 5, BAD, {"self", "3 channels"}},
        {SIZE_0, CONV_OUTPUT, 8, BAD, {"output", "(8, 2, 4)"}},
        {MATH, 0, 5, BAD, {"cubeMathType", "5"}},
    };
    check_all(CONV_TBC, faults, LENGTH_OF(faults));
}

Test(conv_layers_refusals, tbc_backward)
{
    static const struct fault faults[] = {
        {IS_NULL, CONV_GRAD_OUTPUT, 0, NONE, {"self", "NULL"}},
        {IS_NULL, CONV_INPUT, 0, NONE, {"input", "NULL"}},
        {IS_NULL, CONV_WEIGHT, 0, NONE, {"weight", "NULL"}},
        {IS_NULL, CONV_BIAS, 0, NONE, {"bias", "NULL"}},
        {IS_NULL, CONV_GRAD_INPUT, 0, NONE, {"gradInput", "NULL"}},
        {IS_NULL, CONV_GRAD_WEIGHT, 0, NONE, {"gradWeight", "NULL"}},
        {TYPE, CONV_GRAD_OUTPUT, ACL_DOUBLE, BAD, {"self", "DOUBLE"}},
        {TYPE, CONV_INPUT, ACL_INT8, BAD, {"input", "INT8"}},
        {TYPE, CONV_WEIGHT, ACL_INT32, BAD, {"weight", "INT32"}},
        {TYPE, CONV_BIAS, ACL_DOUBLE, BAD, {"bias", "DOUBLE"}},
        {TYPE, CONV_GRAD_INPUT, ACL_DOUBLE, BAD, {"gradInput", "DOUBLE"}},
        {TYPE, CONV_GRAD_WEIGHT, ACL_DOUBLE, BAD, {"gradWeight", "DOUBLE"}},
        {FORMAT, CONV_GRAD_OUTPUT, ACL_FORMAT_NCHW, BAD, {"self", "NCHW"}},
        {FORMAT, CONV_INPUT, ACL_FORMAT_NHWC, BAD, {"input", "NHWC"}},
        {FORMAT, CONV_WEIGHT, ACL_FORMAT_NCDHW, BAD, {"weight", "NCDHW"}},
        {FORMAT, CONV_BIAS, ACL_FORMAT_NCL, BAD, {"bias", "NCL"}},
        {FORMAT, CONV_GRAD_INPUT, ACL_FORMAT_NCHW, BAD, {"gradInput", "NCHW"}},
        {FORMAT, CONV_GRAD_WEIGHT, ACL_FORMAT_NCHW, BAD, {"gradWeight", "NCHW"}},
        {SIZE_0, CONV_GRAD_OUTPUT, 0, BAD, {"self", "empty"}},
        {RANK, CONV_GRAD_OUTPUT, 2, BAD, {"self", "2 dimensions"}},
        {RANK, CONV_INPUT, 2, BAD, {"input", "2 dimensions"}},
        {RANK, CONV_WEIGHT, 4, BAD, {"weight", "4 dimensions"}},
        {RANK, CONV_BIAS, 2, BAD, {"bias", "2 dimensions"}},
        {RANK, CONV_GRAD_INPUT, 4, BAD, {"gradInput", "4 dimensions"}},
        {RANK, CONV_GRAD_WEIGHT, 4, BAD, {"gradWeight", "4 dimensions"}},
        {SIZE_1, CONV_WEIGHT, 5, BAD, {"input", "3 channels"}},
        {SIZE_0, CONV_BIAS, 9, BAD, {"bias", "9 elements"}},
        {ENTRY_0, CONV_PADDING, -1, BAD, {"pad ", "-1"}},
        {SIZE_0, CONV_WEIGHT, 30, BAD, {"input", "30 taps"}},
        {SIZE_1, CONV_GRAD_OUTPUT, 3, BAD, {"self", "(7, 3, 4)"}},
        {SIZE_0, CONV_GRAD_INPUT, 8, BAD, {"gradInput", "(8, 2, 3)"}},
        {SIZE_2, CONV_GRAD_WEIGHT, 5, BAD, {"gradWeight", "(3, 3, 5)"}},
        {MATH, 0, 4, BAD, {"cubeMathType", "4"}},
    };
    check_all(CONV_TBC_BACKWARD, faults, LENGTH_OF(faults));
}

/* ---- empty tensors ---- */

/* No channels, or no time but a pad: the output is the bias; gradients of input and weight are 0,
 * that of the bias is the sum of self, as always. */
Test(conv_layers_refusals, empty_tbc)
{
    for (int op = CONV_TBC_BACKWARD; op < CONV_OPERATORS; op++) {
        if (op != CONV_TBC && op != CONV_TBC_BACKWARD) continue;
        struct conv_case test = good_case((enum conv_operator)op);
        test.conv.large_channels = 0;
        cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
        test = good_case((enum conv_operator)op);
        test.conv.large[2] = 0;
        test.conv.pad[2] = test.pad_end[2] = 2;
        test.conv.small[2] = 2;
        cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
    }
    struct conv_case test = good_case(CONV_TBC);
    test.conv.batch = 0;
    cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
}

Test(conv_layers_refusals, empty_depthwise)
{
    struct conv_case test = good_case(CONV_DEPTHWISE);
    test.conv.batch = 0;
    cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
    test = good_case(CONV_DEPTHWISE);
    test.conv.groups = 0;
    cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
}
