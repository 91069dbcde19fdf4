/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution that runs by its name: values from the definition in either order of the axes, what
 * is refused. */
#include <math.h>

#include "tests/unit/refusal.h"

#include "acl/acl_op_compiler.h"
#include "aclnn/opdev/op_errno.h"
#include "runtime/support/alloc.h"

enum { MOST = 4096, VALUES = MOST / sizeof(float), X = 0, FILTER, BIAS, OFFSET_W, TENSORS };

/* Sizes along N, C, H, W, in the order of the letters. */
struct tensor {
    aclDataType type;
    aclFormat format;
    const char *axes;
    int64_t sizes[4];
};

/* Numbers of height and width; pads are top, bottom, left and right. */
struct problem {
    const char *data_format; /* NULL: not set */
    struct tensor x, filter, y;
    bool has_bias, has_groups, has_dilations;
    int64_t groups;
    int64_t stride[2], dilation[2], pads[4];
};

static aclrtStream stream;
static float *memory[2][TENSORS];

static void begin(void)
{
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < TENSORS; i++) {
            cr_assert_eq(aclrtMalloc((void **)&memory[side][i], MOST, ACL_MEM_MALLOC_NORMAL_ONLY),
                         ACL_SUCCESS);
            for (int j = 0; j < (int)VALUES; j++)
                memory[side][i][j] = (float)sin(1.7 * j + 2.3 * i + 5 * side) * 0.8F;
        }
    }
}

TestSuite(op_named_conv, .init = begin);

/* ---- the call ---- */

struct call {
    int inputs;
    aclTensorDesc *in[TENSORS], *out[1];
    aclDataBuffer *in_data[TENSORS], *out_data[1];
    aclopAttr *attr;
};

static aclTensorDesc *describe(const struct tensor *tensor)
{
    return aclCreateTensorDesc(tensor->type, 4, tensor->sizes, tensor->format);
}

static void set_four(aclopAttr *attr, const char *name, const char *axes, const int64_t plane[2])
{
    int64_t values[4];
    for (int i = 0; i < 4; i++)
        values[i] = axes[i] == 'H' ? plane[0] : axes[i] == 'W' ? plane[1] : 1;
    cr_assert_eq(aclopSetAttrListInt(attr, name, 4, values), ACL_SUCCESS);
}

static void make(struct call *call, const struct problem *p)
{
    const int64_t channels = p->filter.sizes[strchr(p->filter.axes, 'N') - p->filter.axes];
    const char *axes = p->data_format ? p->data_format : "NHWC";
    *call = (struct call){.inputs = p->has_bias ? 3 : 2, .attr = aclopCreateAttr()};
    call->in[X] = describe(&p->x);
    call->in[FILTER] = describe(&p->filter);
    call->in[BIAS] = aclCreateTensorDesc(p->x.type, 1, &channels, ACL_FORMAT_ND);
    call->out[0] = describe(&p->y);
    for (int i = 0; i < TENSORS; i++)
        call->in_data[i] = aclCreateDataBuffer(memory[0][i], MOST);
    call->out_data[0] = aclCreateDataBuffer(memory[1][0], MOST);
    set_four(call->attr, "strides", axes, p->stride);
    if (p->has_dilations) set_four(call->attr, "dilations", axes, p->dilation);
    cr_assert_eq(aclopSetAttrListInt(call->attr, "pads", 4, p->pads), ACL_SUCCESS);
    if (p->has_groups) cr_assert_eq(aclopSetAttrInt(call->attr, "groups", p->groups), ACL_SUCCESS);
    if (p->data_format)
        cr_assert_eq(aclopSetAttrString(call->attr, "data_format", p->data_format), ACL_SUCCESS);
    aclGetRecentErrMsg();
}

static aclError launch(struct call *call)
{
    return aclopCompileAndExecuteV2("Conv2D", call->inputs, call->in, call->in_data, 1, call->out,
                                    call->out_data, call->attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                                    NULL, stream);
}

static void destroy(struct call *call)
{
    for (int i = 0; i < TENSORS; i++) {
        if (call->in[i]) aclDestroyTensorDesc(call->in[i]);
        aclDestroyDataBuffer(call->in_data[i]);
    }
    aclDestroyTensorDesc(call->out[0]);
    aclDestroyDataBuffer(call->out_data[0]);
    aclopDestroyAttr(call->attr);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

/* ---- values ---- */

static int64_t size_of(const struct tensor *tensor, char axis)
{
    return tensor->sizes[strchr(tensor->axes, axis) - tensor->axes];
}

/* at: the position along N, C, H and W. */
static int64_t place_of(const struct tensor *tensor, int64_t n, int64_t c, int64_t h, int64_t w)
{
    int64_t place = 0;
    for (int i = 0; i < 4; i++) {
        const char axis = tensor->axes[i];
        const int64_t at = axis == 'N' ? n : axis == 'C' ? c : axis == 'H' ? h : w;
        place = place * tensor->sizes[i] + at;
    }
    return place;
}

static double by_hand(const struct problem *p, int64_t n, int64_t co, int64_t oh, int64_t ow)
{
    const int64_t inner = size_of(&p->filter, 'C');
    const int64_t first = co / (size_of(&p->filter, 'N') / p->groups) * inner;
    double sum = p->has_bias ? memory[0][BIAS][co] : 0;
    for (int64_t c = 0; c < inner; c++) {
        for (int64_t kh = 0; kh < size_of(&p->filter, 'H'); kh++) {
            for (int64_t kw = 0; kw < size_of(&p->filter, 'W'); kw++) {
                const int64_t h = oh * p->stride[0] - p->pads[0] + kh * p->dilation[0];
                const int64_t w = ow * p->stride[1] - p->pads[2] + kw * p->dilation[1];
                if (h < 0 || h >= size_of(&p->x, 'H') || w < 0 || w >= size_of(&p->x, 'W'))
                    continue;
                sum += (double)memory[0][X][place_of(&p->x, n, first + c, h, w)] *
                       memory[0][FILTER][place_of(&p->filter, co, c, kh, kw)];
            }
        }
    }
    return sum;
}

static void expect_values(const struct problem *p)
{
    const int64_t images = size_of(&p->y, 'N'), channels = size_of(&p->y, 'C');
    const int64_t height = size_of(&p->y, 'H'), width = size_of(&p->y, 'W');
    struct call call;
    memset(memory[1][0], 0x55, MOST);
    make(&call, p);
    cr_assert_eq(launch(&call), ACL_SUCCESS, "%s", aclGetRecentErrMsg());
    destroy(&call);
    for (int64_t i = 0; i < images * channels * height * width; i++) {
        const int64_t w = i % width, h = i / width % height;
        const int64_t c = i / (width * height) % channels, n = i / (width * height * channels);
        /* at most 36 products of factors below 1 */
        cr_expect_float_eq(memory[1][0][place_of(&p->y, n, c, h, w)], by_hand(p, n, c, h, w), 4e-6,
                           "%s: %d, %d, %d, %d", p->data_format, (int)n, (int)c, (int)h, (int)w);
    }
    cr_expect_eq(((unsigned char *)memory[1][0])[images * channels * height * width * 4], 0x55);
}

static const struct problem channels_first = {
    .data_format = "NCHW",
    .x = {ACL_FLOAT, ACL_FORMAT_NCHW, "NCHW", {2, 4, 7, 6}},
    .filter = {ACL_FLOAT, ACL_FORMAT_NCHW, "NCHW", {6, 2, 3, 2}},
    .y = {ACL_FLOAT, ACL_FORMAT_NCHW, "NCHW", {2, 6, 4, 6}},
    .has_bias = true,
    .has_groups = true,
    .has_dilations = true,
    .groups = 2,
    .stride = {2, 1},
    .dilation = {1, 3},
    .pads = {1, 2, 3, 0},
};

static const struct problem channels_last = {
    .data_format = "NHWC",
    .x = {ACL_FLOAT, ACL_FORMAT_NHWC, "NHWC", {2, 7, 6, 4}},
    .filter = {ACL_FLOAT, ACL_FORMAT_HWCN, "HWCN", {3, 2, 2, 6}},
    .y = {ACL_FLOAT, ACL_FORMAT_NHWC, "NHWC", {2, 4, 6, 6}},
    .has_bias = true,
    .has_groups = true,
    .has_dilations = true,
    .groups = 2,
    .stride = {2, 1},
    .dilation = {1, 3},
    .pads = {1, 2, 3, 0},
};

Test(op_named_conv, is_its_definition)
{
    expect_values(&channels_first);
    expect_values(&channels_last);
}

Test(op_named_conv, formats_are_those_of_the_tensors)
{
    struct problem p = channels_first;
    p.x.format = p.filter.format = p.y.format = ACL_FORMAT_ND;
    expect_values(&p);
    p = channels_last;
    p.data_format = NULL;
    expect_values(&p);
    p.x.format = p.y.format = ACL_FORMAT_ND;
    p.filter = (struct tensor){ACL_FLOAT, ACL_FORMAT_NCHW, "NCHW", {6, 2, 3, 2}};
    expect_values(&p);
    p.filter = (struct tensor){ACL_FLOAT, ACL_FORMAT_ND, "NHWC", {6, 3, 2, 2}};
    expect_values(&p);
}

Test(op_named_conv, what_is_left_out_has_its_default)
{
    struct problem p = channels_first;
    p.has_bias = p.has_groups = p.has_dilations = false;
    p.groups = p.dilation[0] = p.dilation[1] = 1;
    p.filter.sizes[1] = 4;
    p.pads[2] = 1;
    expect_values(&p);
}

/* ---- refusals ---- */

static void expect_refusal(const struct problem *p, void (*change)(struct call *call),
                           aclError code, const char *fragment)
{
    struct call call;
    memory[1][0][0] = 42;
    make(&call, p);
    if (change) change(&call);
    cr_expect_eq(launch(&call), code, "%s", fragment);
    expect_text("aclopCompileAndExecuteV2()", fragment);
    destroy(&call);
    cr_expect_eq(memory[1][0][0], 42, "%s: has written", fragment);
}

static void set_offset(struct call *call)
{
    cr_assert_eq(aclopSetAttrInt(call->attr, "offset_x", 3), ACL_SUCCESS);
}

static void set_order(struct call *call)
{
    cr_assert_eq(aclopSetAttrString(call->attr, "data_format", "HWCN"), ACL_SUCCESS);
}

static void set_two_strides(struct call *call)
{
    cr_assert_eq(aclopSetAttrListInt(call->attr, "strides", 2, (const int64_t[]){2, 1}),
                 ACL_SUCCESS);
}

static void set_other_strides(struct call *call)
{
    cr_assert_eq(aclopSetAttrListInt(call->attr, "strides", 4, (const int64_t[]){1, 2, 1, 1}),
                 ACL_SUCCESS);
}

static void set_text_as_pads(struct call *call)
{
    cr_assert_eq(aclopSetAttrString(call->attr, "pads", "SAME"), ACL_SUCCESS);
}

static void set_text_as_groups(struct call *call)
{
    cr_assert_eq(aclopSetAttrString(call->attr, "groups", "two"), ACL_SUCCESS);
}

static void unset(struct call *call)
{
    aclopDestroyAttr(call->attr);
    call->attr = aclopCreateAttr();
}

static void add_offsets(struct call *call)
{
    const int64_t one = 1;
    call->inputs = TENSORS;
    call->in[OFFSET_W] = aclCreateTensorDesc(ACL_INT8, 1, &one, ACL_FORMAT_ND);
}

static void leave_one_input(struct call *call)
{
    call->inputs = 1;
}

static void leave_out_the_filter(struct call *call)
{
    aclDestroyTensorDesc(call->in[FILTER]);
    call->in[FILTER] = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, NULL, ACL_FORMAT_UNDEFINED);
}

static void make_bias_a_matrix(struct call *call)
{
    aclDestroyTensorDesc(call->in[BIAS]);
    call->in[BIAS] = aclCreateTensorDesc(ACL_FLOAT, 2, (const int64_t[]){2, 3}, ACL_FORMAT_ND);
}

static void take_a_dimension(struct call *call)
{
    aclDestroyTensorDesc(call->in[X]);
    call->in[X] = aclCreateTensorDesc(ACL_FLOAT, 3, (const int64_t[]){4, 7, 6}, ACL_FORMAT_ND);
}

Test(op_named_conv, what_is_no_convolution_is_refused)
{
    const aclError bad = ACL_ERROR_INVALID_PARAM, unsupported = ACL_ERROR_API_NOT_SUPPORT;
    const struct problem *good = &channels_first;
    expect_refusal(good, set_offset, unsupported,
                   "Conv2D: attribute offset_x is 3; only 0 is supported");
    expect_refusal(good, set_order, bad,
                   "attribute data_format is \"HWCN\"; it must be NCHW or NHWC");
    expect_refusal(good, set_two_strides, bad,
                   "attribute strides is [2, 1]; it must be a list of 4 integers");
    expect_refusal(good, set_other_strides, bad,
                   "attribute strides is [1, 2, 1, 1]; it must be 1 for N and C");
    expect_refusal(good, set_text_as_pads, bad,
                   "attribute pads is \"SAME\"; it must be a list of 4 integers");
    expect_refusal(good, set_text_as_groups, bad,
                   "attribute groups is \"two\"; it must be an integer");
    expect_refusal(&channels_last, unset, bad, "attribute strides is not set; it must be a list");
    expect_refusal(good, add_offsets, bad, "inputs[3] is INT8[1]; it must be left out");
    expect_refusal(good, leave_one_input, bad, "Conv2D has 1 inputs and 1 outputs; it must have 2");
    expect_refusal(good, leave_out_the_filter, bad, "inputs[1] is UNDEFINED[]; it must be there");
    expect_refusal(good, make_bias_a_matrix, bad, "inputs[2] is FLOAT[2,3]; it must have fewer");
    expect_refusal(good, take_a_dimension, bad,
                   "inputs[0] is FLOAT[4,7,6]; it must have 4 dimensions");

    struct problem p = *good;
    p.x.format = ACL_FORMAT_NHWC;
    expect_refusal(&p, NULL, bad, "its format must be data_format or ND");
    p = *good;
    p.filter.format = ACL_FORMAT_NCL;
    expect_refusal(&p, NULL, bad, "its format must be NCHW, NHWC, HWCN or ND");
    p = *good;
    p.y.format = ACL_FORMAT_NC1HWC0;
    expect_refusal(&p, NULL, bad, "its format must be a public one");
    p = *good;
    p.x.sizes[0] = 200;
    expect_refusal(&p, NULL, bad, "inputs[0] has a buffer of 4096 bytes");
}

static void expect_refusal_of_aclnn(const struct problem *p, const char *fragment)
{
    struct call call;
    make(&call, p);
    cr_expect_eq(launch(&call), ACLNN_ERR_PARAM_INVALID, "%s", fragment);
    expect_text("aclnnConvolution: ", fragment);
    destroy(&call);
}

Test(op_named_conv, values_are_checked_as_of_aclnnConvolution)
{
    struct problem p = channels_first;
    p.y.sizes[2] = 5;
    expect_refusal_of_aclnn(&p, "output");
    p = channels_first;
    p.groups = 0;
    expect_refusal_of_aclnn(&p, "groups is 0");
    p = channels_first;
    p.pads[3] = -1;
    expect_refusal_of_aclnn(&p, "padding[3] is -1");
    p = channels_first;
    p.stride[1] = 0;
    expect_refusal_of_aclnn(&p, "stride[1] is 0");
    p = channels_first;
    p.x.type = ACL_INT32;
    expect_refusal_of_aclnn(&p, "bias has data type 3 (INT32)");
}

Test(op_named_conv, no_memory_is_an_error_and_no_crash)
{
    aclError status = ACL_ERROR_BAD_ALLOC;
    struct call call;
    int failures = 0;
    make(&call, &channels_last);
    while (status != ACL_SUCCESS) {
        cr_assert_lt(failures, 1000);
        rt_alloc_fail_at(failures + 1);
        status = launch(&call);
        rt_alloc_fail_at(0);
        if (status != ACL_SUCCESS) failures++;
    }
    cr_expect_gt(failures, 5);
    destroy(&call);
}
