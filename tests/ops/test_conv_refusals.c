/* SPDX-License-Identifier: Apache-2.0 */
/* What aclnnConvolutionBackward, aclnnextConvGrad and aclnnConvolution refuse: the code, and a text
 * with the operator's name, the argument and the value. Each list is in the order of the checks;
 * with two faults at once the earlier one speaks. And what they accept without tensors to read. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnext/aclnnext_conv_grad.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"

enum { DY, X, W, DX, DW, DB, TENSORS };
enum { STRIDE, PADDING, DILATION, OUTPUT_PADDING, BIAS_SIZES, ARRAYS };

struct tensor_of {
    bool is_null;
    aclDataType type;
    aclFormat format;
    int rank;
    int64_t dims[6];
    int at; /* of `memory` */
};

struct array_of {
    bool is_null;
    int length;
    int64_t values[6];
};

struct call {
    struct tensor_of tensor[TENSORS];
    struct array_of array[ARRAYS];
    bool transposed, no_mask, mask[3];
    int mask_length, groups, math, auto_pad;
};

static float memory[4096], workspace_memory[1 << 16];

static struct call good_call(void)
{
    const struct tensor_of four = {.type = ACL_FLOAT, .format = ACL_FORMAT_NCHW, .rank = 4};
    struct call call = {.mask = {true, true, true}, .mask_length = 3, .groups = 2};
    static const int64_t dims[][4] = {{2, 6, 5, 4}, {2, 4, 5, 4}, {6, 2, 3, 3}};
    for (int i = 0; i < TENSORS; i++) {
        call.tensor[i] = four;
        memcpy(call.tensor[i].dims,
               dims[i % 3 == 0 && i       ? 1
                    : i % 3 == 1 && i > 1 ? 2
                                          : i % 3],
               sizeof dims[0]);
    }
    call.tensor[DB] = (struct tensor_of){.type = ACL_FLOAT, .format = ACL_FORMAT_ND, .rank = 1};
    call.tensor[DB].dims[0] = 6;
    for (int i = 0; i < ARRAYS; i++)
        call.array[i] = (struct array_of){.length = 2, .values = {1, 1}};
    call.array[OUTPUT_PADDING].values[0] = call.array[OUTPUT_PADDING].values[1] = 0;
    call.array[BIAS_SIZES] = (struct array_of){.length = 1, .values = {6}};
    return call;
}

static aclTensor *make_tensor(const struct tensor_of *t)
{
    if (t->is_null) return NULL;
    int64_t count = 1;
    for (int i = 0; i < t->rank; i++)
        count *= t->dims[i] < 0 ? 1 : t->dims[i];
    return aclCreateTensor(t->dims, (uint64_t)t->rank, t->type, NULL, 0, t->format, &count, 1,
                           memory + t->at);
}

enum which { BACKWARD, GRAD, FORWARD };

static const char *const names[] = {"aclnnConvolutionBackward", "aclnnextConvGrad",
                                    "aclnnConvolution"};

static aclnnStatus phase1(enum which which, const struct call *c, uint64_t *size,
                          aclOpExecutor **executor)
{
    aclTensor *t[TENSORS];
    aclIntArray *a[ARRAYS];
    for (int i = 0; i < TENSORS; i++)
        t[i] = make_tensor(&c->tensor[i]);
    for (int i = 0; i < ARRAYS; i++)
        a[i] = c->array[i].is_null
                   ? NULL
                   : aclCreateIntArray(c->array[i].values, (uint64_t)c->array[i].length);
    aclBoolArray *mask = c->no_mask ? NULL : aclCreateBoolArray(c->mask, (uint64_t)c->mask_length);
    aclnnStatus status;
    if (which == BACKWARD)
        status = aclnnConvolutionBackwardGetWorkspaceSize(
            t[DY], t[X], t[W], a[BIAS_SIZES], a[STRIDE], a[PADDING], a[DILATION], c->transposed,
            a[OUTPUT_PADDING], c->groups, mask, (int8_t)c->math, t[DX], t[DW], t[DB], size,
            executor);
    else if (which == GRAD)
        status = aclnnextConvGradGetWorkspaceSize(
            t[DY], t[X], t[W], a[STRIDE], a[PADDING], a[PADDING], a[DILATION], c->auto_pad,
            c->groups, (int8_t)c->math, t[DX], t[DW], t[DB], size, executor);
    else
        status = aclnnConvolutionGetWorkspaceSize(
            t[X], t[W], t[DB], a[STRIDE], a[PADDING], a[DILATION], c->transposed, a[OUTPUT_PADDING],
            c->groups, t[DY], (int8_t)c->math, size, executor);
    for (int i = 0; i < TENSORS; i++)
        if (t[i]) aclDestroyTensor(t[i]);
    for (int i = 0; i < ARRAYS; i++)
        if (a[i]) aclDestroyIntArray(a[i]);
    if (mask) aclDestroyBoolArray(mask);
    return status;
}

static aclrtStream stream;

static void begin(void)
{
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    cr_assert_eq(aclrtSetDevice(0), ACL_SUCCESS);
    cr_assert_eq(aclrtCreateStream(&stream), ACL_SUCCESS);
}

static void end(void)
{
    aclrtDestroyStream(stream);
    aclFinalize();
}

TestSuite(conv_refusals, .init = begin, .fini = end);

static void check_accepted(enum which which, const struct call *call)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    const aclnnStatus status = phase1(which, call, &size, &executor);
    cr_assert_eq(status, ACLNN_SUCCESS, "%s: %d %s", names[which], status, aclGetRecentErrMsg());
    cr_assert_leq(size, sizeof workspace_memory);
    void *workspace = size ? (void *)(((uintptr_t)workspace_memory + 63) / 64 * 64) : NULL;
    aclnnStatus ran = which == BACKWARD
                          ? aclnnConvolutionBackward(workspace, size, executor, stream)
                      : which == GRAD ? aclnnextConvGrad(workspace, size, executor, stream)
                                      : aclnnConvolution(workspace, size, executor, stream);
    cr_assert_eq(ran, ACLNN_SUCCESS);
    cr_assert_eq(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

/* One fault each, in the order of the checks. */
struct fault {
    void (*make)(struct call *call);
    aclnnStatus code;
    const char *words[2];
};

static void check_fault(enum which which, const struct call *call, const struct fault *fault)
{
    uint64_t size = 4711;
    aclOpExecutor *executor = NULL;
    const aclnnStatus status = phase1(which, call, &size, &executor);
    const char *text = aclGetRecentErrMsg();
    cr_assert_eq(status, fault->code, "%s %s: %d %s", names[which], fault->words[0], status, text);
    cr_assert(text && strstr(text, names[which]), "%s", text);
    for (int i = 0; i < 2; i++)
        cr_assert(strstr(text, fault->words[i]), "no '%s' in: %s", fault->words[i], text);
    cr_assert(size == 4711 && !executor, "outputs were written");
}

/* Alone, and each together with each later one. */
static void check_faults(enum which which, const struct fault *faults, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++) {
            struct call call = good_call();
            faults[j].make(&call);
            faults[i].make(&call);
            check_fault(which, &call, &faults[i]);
        }
}

#define FAULT(name, ...)                                                                           \
    static void name(struct call *c)                                                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

FAULT(no_dy, c->tensor[DY].is_null = true)
FAULT(no_x, c->tensor[X].is_null = true)
FAULT(no_w, c->tensor[W].is_null = true)
FAULT(no_stride, c->array[STRIDE].is_null = true)
FAULT(no_padding, c->array[PADDING].is_null = true)
FAULT(no_dilation, c->array[DILATION].is_null = true)
FAULT(no_output_padding, c->array[OUTPUT_PADDING].is_null = true)
FAULT(no_mask, c->no_mask = true)
FAULT(short_mask, c->mask_length = 2)
FAULT(no_dx, c->tensor[DX].is_null = true)
FAULT(no_dw, c->tensor[DW].is_null = true)
FAULT(no_db, c->tensor[DB].is_null = true)
FAULT(dy_type, c->tensor[DY].type = ACL_DOUBLE)
FAULT(x_type, c->tensor[X].type = ACL_INT32)
FAULT(w_type, c->tensor[W].type = ACL_INT8)
FAULT(dx_type, c->tensor[DX].type = ACL_DOUBLE)
FAULT(dw_type, c->tensor[DW].type = ACL_DOUBLE)
FAULT(db_type, c->tensor[DB].type = ACL_DOUBLE)
FAULT(dy_format, c->tensor[DY].format = ACL_FORMAT_NHWC)
FAULT(x_format, c->tensor[X].format = ACL_FORMAT_ND)
FAULT(w_format, c->tensor[W].format = ACL_FORMAT_NC1HWC0)
FAULT(dx_format, c->tensor[DX].format = ACL_FORMAT_NHWC)
FAULT(dw_format, c->tensor[DW].format = ACL_FORMAT_NHWC)
FAULT(db_format, c->tensor[DB].format = ACL_FORMAT_NCL)
FAULT(stride_0, c->array[STRIDE].values[1] = 0)
FAULT(padding_negative, c->array[PADDING].values[0] = -1)
FAULT(dilation_0, c->array[DILATION].values[0] = 0)
FAULT(groups_0, c->groups = 0)
FAULT(math_4, c->math = 4)
FAULT(math_5, c->math = 5)
FAULT(dx_shape, c->tensor[DX].dims[3] = 5)
FAULT(dw_shape, c->tensor[DW].dims[0] = 4)
FAULT(db_length, c->tensor[DB].dims[0] = 5)
FAULT(stride_length, c->array[STRIDE].length = 3, c->array[STRIDE].values[2] = 1)
FAULT(dilation_length, c->array[DILATION].length = 1)
FAULT(padding_length, c->array[PADDING].length = 1)
FAULT(groups_4, c->groups = 4)
FAULT(dy_extent, c->tensor[DY].dims[2] = 6)
FAULT(no_outputs, c->tensor[DX].is_null = c->tensor[DW].is_null = c->tensor[DB].is_null = true)
FAULT(auto_pad_4, c->auto_pad = 4)
FAULT(rank_2, c->tensor[DY].rank = 2)

#define BAD          ACLNN_ERR_PARAM_INVALID
#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

Test(conv_refusals, backward)
{
    static const struct fault faults[] = {
        {no_dy, ACLNN_ERR_PARAM_NULLPTR, {"gradOutput", "NULL"}},
        {no_x, ACLNN_ERR_PARAM_NULLPTR, {"input", "NULL"}},
        {no_w, ACLNN_ERR_PARAM_NULLPTR, {"weight", "NULL"}},
        {no_stride, ACLNN_ERR_PARAM_NULLPTR, {"stride", "NULL"}},
        {no_padding, ACLNN_ERR_PARAM_NULLPTR, {"padding", "NULL"}},
        {no_dilation, ACLNN_ERR_PARAM_NULLPTR, {"dilation", "NULL"}},
        {no_output_padding, ACLNN_ERR_PARAM_NULLPTR, {"outputPadding", "NULL"}},
        {no_mask, ACLNN_ERR_PARAM_NULLPTR, {"outputMask", "NULL"}},
        {short_mask, ACLNN_ERR_PARAM_NULLPTR, {"outputMask", "2"}},
        {no_dx, ACLNN_ERR_PARAM_NULLPTR, {"gradInput", "outputMask[0]"}},
        {no_dw, ACLNN_ERR_PARAM_NULLPTR, {"gradWeight", "outputMask[1]"}},
        {no_db, ACLNN_ERR_PARAM_NULLPTR, {"gradBias", "outputMask[2]"}},
        {dy_type, BAD, {"gradOutput", "DOUBLE"}},
        {x_type, BAD, {"input", "INT32"}},
        {w_type, BAD, {"weight", "INT8"}},
        {dx_type, BAD, {"gradInput", "DOUBLE"}},
        {dw_type, BAD, {"gradWeight", "DOUBLE"}},
        {db_type, BAD, {"gradBias", "DOUBLE"}},
        {dy_format, BAD, {"gradOutput", "NHWC"}},
        {x_format, BAD, {"input", "ND"}},
        {w_format, BAD, {"weight", "NC1HWC0"}},
        {dx_format, BAD, {"gradInput", "NHWC"}},
        {dw_format, BAD, {"gradWeight", "NHWC"}},
        {db_format, BAD, {"gradBias", "NCL"}},
        {stride_0, BAD, {"stride[1]", "is 0"}},
        {padding_negative, BAD, {"padding[0]", "-1"}},
        {dilation_0, BAD, {"dilation[0]", "is 0"}},
        {groups_0, BAD, {"groups", "is 0"}},
        {math_4, BAD, {"cubeMathType", "4"}},
        {dx_shape, BAD, {"gradInput", "(2, 4, 5, 5)"}},
        {dw_shape, BAD, {"gradWeight", "(4, 2, 3, 3)"}},
        {db_length, BAD, {"gradBias", "5"}},
        {stride_length, BAD, {"stride", "3"}},
        {dilation_length, BAD, {"dilation", "1"}},
        {padding_length, BAD, {"padding", "1"}},
        {groups_4, BAD, {"input", "groups, which is 4"}},
        {dy_extent, BAD, {"gradOutput", "(2, 6, 6, 4)"}},
    };
    const struct call good = good_call();
    check_accepted(BACKWARD, &good);
    check_faults(BACKWARD, faults, LENGTH(faults));
}

Test(conv_refusals, grad)
{
    static const struct fault faults[] = {
        {no_dy, ACLNN_ERR_PARAM_NULLPTR, {"gradOutput", "NULL"}},
        {no_x, ACLNN_ERR_PARAM_NULLPTR, {"input", "NULL"}},
        {no_w, ACLNN_ERR_PARAM_NULLPTR, {"weight", "NULL"}},
        {no_outputs, ACLNN_ERR_PARAM_NULLPTR, {"gradInput", "all NULL"}},
        {dy_type, BAD, {"gradOutput", "DOUBLE"}},
        {x_type, BAD, {"input", "INT32"}},
        {w_type, BAD, {"weight", "INT8"}},
        {dx_type, BAD, {"gradInput", "DOUBLE"}},
        {rank_2, BAD, {"gradOutput", "2 dimensions"}},
        {w_format, BAD, {"weight", "NC1HWC0"}},
        {dx_shape, BAD, {"gradInput", "(2, 4, 5, 5)"}},
        {dx_format, BAD, {"gradInput", "NHWC"}},
        {dw_shape, BAD, {"gradWeight", "(4, 2, 3, 3)"}},
        {db_length, BAD, {"gradBias", "5"}},
        {stride_length, BAD, {"strides", "3"}},
        {stride_0, BAD, {"strides[1]", "is 0"}},
        {dilation_0, BAD, {"dilations[0]", "is 0"}},
        {auto_pad_4, BAD, {"autoPad", "4"}},
        {padding_negative, BAD, {"padsBegin[0]", "-1"}},
        {groups_0, BAD, {"groups", "is 0"}},
        {math_4, BAD, {"cubeMathType", "4"}},
        {groups_4, BAD, {"input", "groups, which is 4"}},
        {dy_extent, BAD, {"gradOutput", "(2, 6, 6, 4)"}},
    };
    struct call good = good_call();
    check_accepted(GRAD, &good);
    good.array[STRIDE].is_null = good.array[DILATION].is_null = true;
    good.array[PADDING].length = 1;
    good.tensor[DX].is_null = true;
    check_accepted(GRAD, &good);
    good.auto_pad = 1;
    good.array[PADDING].is_null = true;
    check_accepted(GRAD, &good);
    check_faults(GRAD, faults, LENGTH(faults) - 7);
    for (int i = 0; i < LENGTH(faults); i++) { /* an autoPad hides the pads */
        struct call call = good_call();
        faults[i].make(&call);
        check_fault(GRAD, &call, &faults[i]);
    }
}

Test(conv_refusals, forward)
{
    static const struct fault faults[] = {
        {no_x, ACLNN_ERR_PARAM_NULLPTR, {"input", "NULL"}},
        {no_w, ACLNN_ERR_PARAM_NULLPTR, {"weight", "NULL"}},
        {no_stride, ACLNN_ERR_PARAM_NULLPTR, {"stride", "NULL"}},
        {no_padding, ACLNN_ERR_PARAM_NULLPTR, {"padding", "NULL"}},
        {no_dilation, ACLNN_ERR_PARAM_NULLPTR, {"dilation", "NULL"}},
        {no_dy, ACLNN_ERR_PARAM_NULLPTR, {"output", "NULL"}},
        {db_type, BAD, {"bias", "DOUBLE"}},
        {x_type, BAD, {"input", "INT32"}},
        {w_type, BAD, {"weight", "INT8"}},
        {dy_type, BAD, {"output", "DOUBLE"}},
        {rank_2, BAD, {"output", "2 dimensions"}},
        {db_length, BAD, {"bias", "5"}},
        {stride_length, BAD, {"stride", "3"}},
        {dilation_length, BAD, {"dilation", "1"}},
        {padding_length, BAD, {"padding", "1"}},
        {dy_format, BAD, {"output", "NHWC"}},
        {w_format, BAD, {"weight", "NC1HWC0"}},
        {stride_0, BAD, {"stride[1]", "is 0"}},
        {dilation_0, BAD, {"dilation[0]", "is 0"}},
        {padding_negative, BAD, {"padding[0]", "-1"}},
        {groups_0, BAD, {"groups", "is 0"}},
        {groups_4, BAD, {"input", "must have 8"}},
        {dy_extent, BAD, {"output", "(2, 6, 6, 4)"}},
        {math_5, BAD, {"cubeMathType", "5"}},
    };
    struct call good = good_call();
    check_accepted(FORWARD, &good);
    good.tensor[DB].is_null = good.array[OUTPUT_PADDING].is_null = true;
    good.math = 4;
    check_accepted(FORWARD, &good);
    check_faults(FORWARD, faults, LENGTH(faults));
}

/* ---- empty tensors: gradWeight and gradBias are filled with zeros ---- */

Test(conv_refusals, empty_batch)
{
    for (int which = BACKWARD; which <= GRAD; which++) {
        struct call call = good_call();
        call.tensor[DY].dims[0] = call.tensor[X].dims[0] = call.tensor[DX].dims[0] = 0;
        memset(memory, 0xFF, sizeof memory);
        check_accepted((enum which)which, &call);
        const int64_t weights = 6 * 2 * 3 * 3;
        for (int64_t i = 0; i < weights; i++) /* gradWeight and gradBias share this memory */
            cr_assert_eq(memory[i], 0.0f);
        cr_assert(memory[weights] != 0.0f);
        if (which == GRAD) continue;
        call.array[BIAS_SIZES].is_null = true;
        const struct fault missing = {NULL, BAD, {"biasSizes", "NULL"}};
        check_fault(BACKWARD, &call, &missing);
        call.mask[2] = false;
        check_accepted(BACKWARD, &call);
    }
}

/* Without channels of the input there is still a gradOutput, whose sums are ConvGrad's gradBias. */
Test(conv_refusals, bias_of_an_empty_input)
{
    enum { CHANNELS = 6, WINDOWS = 5 * 4, BATCH = 2, BIAS = 1024 };
    struct call call = good_call();
    call.tensor[X].dims[1] = call.tensor[DX].dims[1] = 0;
    call.tensor[W].dims[1] = call.tensor[DW].dims[1] = 0;
    call.tensor[DB].at = BIAS;
    for (int i = 0; i < BATCH * CHANNELS * WINDOWS; i++)
        memory[i] = (float)(i / WINDOWS % CHANNELS + 1);
    check_accepted(GRAD, &call);
    for (int i = 0; i < CHANNELS; i++)
        cr_assert_eq(memory[BIAS + i], (float)(BATCH * WINDOWS * (i + 1)));
}

Test(conv_refusals, empty_forward)
{
    struct call call = good_call();
    call.tensor[X].dims[0] = call.tensor[DY].dims[0] = 0;
    memset(memory, 0xFF, sizeof memory);
    check_accepted(FORWARD, &call);
    uint32_t bits;
    memcpy(&bits, memory, sizeof bits);
    cr_assert_eq(bits, 0xFFFFFFFFu);
}
