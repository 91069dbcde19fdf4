/* SPDX-License-Identifier: Apache-2.0 */
/* Every refusal of phase 1: its code, a text that names the argument and the value, its place in
 * the order of checks, and that nothing is written. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"

/* ---- a call as plain values, so that faults can be put into it ---- */

struct tensor_spec {
    bool is_null;
    aclDataType type;
    aclFormat format;
    uint64_t rank;
    int64_t dims[6], strides[6];
    bool has_strides;
    int64_t offset, storage;
};

struct array_spec {
    bool is_null;
    uint64_t length;
    int64_t values[4];
};

struct call_spec {
    struct tensor_spec dy, self, dx;
    struct array_spec kernel, stride, padding;
    bool ceil, no_size, no_executor;
    int64_t divisor;
    int8_t math;
};

static const struct call_spec sound = {
    .dy = {.type = ACL_FLOAT,
           .format = ACL_FORMAT_NCHW,
           .rank = 4,
           .dims = {2, 3, 4, 5},
           .storage = 120},
    .self = {.type = ACL_FLOAT,
             .format = ACL_FORMAT_NCHW,
             .rank = 4,
             .dims = {2, 3, 8, 10},
             .storage = 480},
    .dx = {.type = ACL_FLOAT,
           .format = ACL_FORMAT_NCHW,
           .rank = 4,
           .dims = {2, 3, 8, 10},
           .storage = 480},
    .kernel = {.length = 2, .values = {3, 3}},
    .stride = {.length = 2, .values = {2, 2}},
    .padding = {.length = 2, .values = {1, 1}},
};

static float memory[2048];

static aclTensor *make_tensor(const struct tensor_spec *spec)
{
    if (spec->is_null) return NULL;
    aclTensor *tensor = aclCreateTensor(spec->dims, spec->rank, spec->type,
                                        spec->has_strides ? spec->strides : NULL, spec->offset,
                                        spec->format, &spec->storage, 1, memory);
    cr_assert(tensor != NULL, "aclCreateTensor: %s", aclGetRecentErrMsg());
    return tensor;
}

static aclIntArray *make_array(const struct array_spec *spec)
{
    return spec->is_null ? NULL : aclCreateIntArray(spec->values, spec->length);
}

static aclnnStatus phase1(const struct call_spec *spec, uint64_t *size, aclOpExecutor **executor)
{
    aclTensor *dy = make_tensor(&spec->dy), *self = make_tensor(&spec->self),
              *dx = make_tensor(&spec->dx);
    aclIntArray *kernel = make_array(&spec->kernel), *stride = make_array(&spec->stride),
                *padding = make_array(&spec->padding);
    aclGetRecentErrMsg(); /* forget earlier texts */
    aclnnStatus status = aclnnAvgPool2dBackwardGetWorkspaceSize(
        dy, self, kernel, stride, padding, spec->ceil, true, spec->divisor, spec->math, dx,
        spec->no_size ? NULL : size, spec->no_executor ? NULL : executor);
    aclDestroyTensor(dy);
    aclDestroyTensor(self);
    aclDestroyTensor(dx);
    aclDestroyIntArray(kernel);
    aclDestroyIntArray(stride);
    aclDestroyIntArray(padding);
    return status;
}

/* Does text hold one of the words of "a|b|c"? */
static bool mentions(const char *text, const char *words)
{
    char word[128];
    for (;;) {
        size_t length = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        if (strstr(text, word)) return true;
        if (words[length] == '\0') return false;
        words += length + 1;
    }
}

/* ---- the faults, in the order of the checks ---- */

struct fault {
    const char *name;
    aclnnStatus code;
    const char *argument, *value; /* what the text must mention */
    const char *field;            /* faults of one field cannot be combined */
    void (*put)(struct call_spec *spec);
};

#define FAULT(name, statement)                                                                     \
    static void name(struct call_spec *spec)                                                       \
    {                                                                                              \
        statement;                                                                                 \
    }

FAULT(no_size, spec->no_size = true)
FAULT(no_executor, spec->no_executor = true)
FAULT(no_dy, spec->dy.is_null = true)
FAULT(no_self, spec->self.is_null = true)
FAULT(no_kernel, spec->kernel.is_null = true)
FAULT(no_padding, spec->padding.is_null = true)
FAULT(no_dx, spec->dx.is_null = true)
FAULT(dy_double, spec->dy.type = ACL_DOUBLE)
FAULT(dy_undefined, spec->dy.type = ACL_DT_UNDEFINED)
FAULT(self_int32, spec->self.type = ACL_INT32)
FAULT(dx_int8, spec->dx.type = ACL_INT8)
FAULT(dx_f16, spec->dx.type = ACL_FLOAT16)
FAULT(dy_nhwc, spec->dy.format = ACL_FORMAT_NHWC)
FAULT(dy_private, spec->dy.format = ACL_FORMAT_NC1HWC0)
FAULT(self_nd, spec->self.format = ACL_FORMAT_ND)
FAULT(dx_nhwc, spec->dx.format = ACL_FORMAT_NHWC)
FAULT(dx_undefined, spec->dx.format = ACL_FORMAT_UNDEFINED)
FAULT(dy_ncl, spec->dy.format = ACL_FORMAT_NCL)
FAULT(dx_ncl, spec->dx.format = ACL_FORMAT_NCL)
FAULT(dy_rank_5, spec->dy.rank = 5; spec->dy.dims[4] = 1)
FAULT(dy_rank_0, spec->dy.rank = 0)
FAULT(dx_rank_2, spec->dx.rank = 2)
FAULT(dx_rank_3, spec->dx.rank = 3)
FAULT(dy_negative, spec->dy.dims[2] = -4)
FAULT(dx_negative, spec->dx.dims[0] = -2; spec->self.dims[0] = -2)
FAULT(kernel_empty, spec->kernel.length = 0)
FAULT(kernel_three, spec->kernel.length = 3)
FAULT(kernel_zero, spec->kernel.values[1] = 0)
FAULT(kernel_negative, spec->kernel.values[0] = -3)
FAULT(stride_three, spec->stride.length = 3)
FAULT(stride_zero, spec->stride.values[1] = 0)
FAULT(stride_negative, spec->stride.values[0] = -2)
FAULT(padding_three, spec->padding.length = 3)
FAULT(padding_empty, spec->padding.length = 0)
FAULT(padding_negative, spec->padding.values[0] = -1)
FAULT(padding_large, spec->padding.values[1] = 2)
FAULT(padding_huge, spec->padding.values[0] = INT64_MAX)
FAULT(math_4, spec->math = 4)
FAULT(math_minus_1, spec->math = -1)
FAULT(math_127, spec->math = 127)
FAULT(self_shape, spec->self.dims[3] = 11)
FAULT(self_rank, spec->self.rank = 3)
FAULT(dy_batch, spec->dy.dims[0] = 1)
FAULT(dy_channels, spec->dy.dims[1] = 2)
FAULT(dy_height, spec->dy.dims[2] = 3)
FAULT(dy_width, spec->dy.dims[3] = 6)

#define NULLPTR ACLNN_ERR_PARAM_NULLPTR
#define INVALID ACLNN_ERR_PARAM_INVALID

static const struct fault faults[] = {
    {"workspaceSize NULL", NULLPTR, "workspaceSize", "NULL", "size", no_size},
    {"executor NULL", NULLPTR, "executor", "NULL", "executor", no_executor},
    {"gradOutput NULL", NULLPTR, "gradOutput", "NULL", "dy", no_dy},
    {"self NULL", NULLPTR, "self", "NULL", "self", no_self},
    {"kernelSize NULL", NULLPTR, "kernelSize", "NULL", "kernel", no_kernel},
    {"padding NULL", NULLPTR, "padding", "NULL", "padding", no_padding},
    {"gradInput NULL", NULLPTR, "gradInput", "NULL", "dx", no_dx},
    {"gradOutput DOUBLE", INVALID, "gradOutput", "DOUBLE", "dy.type", dy_double},
    {"gradOutput no type", INVALID, "gradOutput", "-1|UNDEFINED", "dy.type", dy_undefined},
    {"self INT32", INVALID, "self", "INT32", "self.type", self_int32},
    {"gradInput INT8", INVALID, "gradInput", "INT8", "dx.type", dx_int8},
    {"types differ", INVALID, "gradInput", "FLOAT16", "dx.type", dx_f16},
    {"gradOutput NHWC", INVALID, "gradOutput", "NHWC", "dy.format", dy_nhwc},
    {"gradOutput NC1HWC0", INVALID, "gradOutput", "NC1HWC0", "dy.format", dy_private},
    {"self ND", INVALID, "self", "ND", "self.format", self_nd},
    {"gradInput NHWC", INVALID, "gradInput", "NHWC", "dx.format", dx_nhwc},
    {"gradInput no format", INVALID, "gradInput", "-1|UNDEFINED", "dx.format", dx_undefined},
    {"gradOutput NCL with 4", INVALID, "gradOutput", "NCL", "dy.format", dy_ncl},
    {"gradInput NCL with 4", INVALID, "gradInput", "NCL", "dx.format", dx_ncl},
    {"gradOutput of rank 5", INVALID, "gradOutput", "5", "dy.rank", dy_rank_5},
    {"gradOutput of rank 0", INVALID, "gradOutput", "0", "dy.rank", dy_rank_0},
    {"gradInput of rank 2", INVALID, "gradInput", "2", "dx.rank", dx_rank_2},
    {"ranks differ", INVALID, "gradInput", "3", "dx.rank", dx_rank_3},
    {"gradOutput negative", INVALID, "gradOutput", "-4", "dy.dims", dy_negative},
    {"gradInput negative", INVALID, "gradInput|self", "-2", "dx.dims", dx_negative},
    {"kernelSize of 0", INVALID, "kernelSize", "0", "kernel", kernel_empty},
    {"kernelSize of 3", INVALID, "kernelSize", "3", "kernel", kernel_three},
    {"kernelSize 0", INVALID, "kernelSize[1]", "is 0", "kernel", kernel_zero},
    {"kernelSize -3", INVALID, "kernelSize[0]", "-3", "kernel", kernel_negative},
    {"stride of 3", INVALID, "stride", "3", "stride", stride_three},
    {"stride 0", INVALID, "stride[1]", "is 0", "stride", stride_zero},
    {"stride -2", INVALID, "stride[0]", "-2", "stride", stride_negative},
    {"padding of 3", INVALID, "padding", "3", "padding", padding_three},
    {"padding of 0", INVALID, "padding", "0", "padding", padding_empty},
    {"padding -1", INVALID, "padding[0]", "-1", "padding", padding_negative},
    {"padding above half", INVALID, "padding[1]", "is 2", "padding", padding_large},
    {"padding huge", INVALID, "padding[0]", "9223372036854775807", "padding", padding_huge},
    {"cubeMathType 4", INVALID, "cubeMathType", "is 4", "math", math_4},
    {"cubeMathType -1", INVALID, "cubeMathType", "is -1", "math", math_minus_1},
    {"cubeMathType 127", INVALID, "cubeMathType", "is 127", "math", math_127},
    {"self not gradInput", INVALID, "self|gradInput", "11", "self.dims", self_shape},
    {"self of rank 3", INVALID, "self|gradInput", "(2, 3, 8)", "self.dims", self_rank},
    {"gradOutput batch", INVALID, "gradOutput", "(1, 3, 4, 5)", "dy.dims", dy_batch},
    {"gradOutput channels", INVALID, "gradOutput", "(2, 2, 4, 5)", "dy.dims", dy_channels},
    {"gradOutput height", INVALID, "gradOutput", "(2, 3, 3, 5)", "dy.dims", dy_height},
    {"gradOutput width", INVALID, "gradOutput", "(2, 3, 4, 6)", "dy.dims", dy_width},
};

enum { FAULTS = sizeof faults / sizeof faults[0] };

static void expect_refused(const struct call_spec *spec, const struct fault *fault,
                           const char *beside)
{
    uint64_t size = 0xABCD;
    aclOpExecutor *untouched = (aclOpExecutor *)memory, *executor = untouched;
    aclnnStatus status = phase1(spec, &size, &executor);
    const char *text = aclGetRecentErrMsg();
    cr_assert_eq(status, fault->code, "%s (with %s): %d, not %d: %s", fault->name, beside, status,
                 fault->code, text ? text : "no text");
    cr_assert(size == 0xABCD && executor == untouched, "%s (with %s) wrote its outputs",
              fault->name, beside);
    cr_assert(text != NULL, "%s (with %s): no text", fault->name, beside);
    cr_assert(strstr(text, "aclnnAvgPool2dBackward"), "%s (with %s) does not name the operator: %s",
              fault->name, beside, text);
    cr_assert(mentions(text, fault->argument) && mentions(text, fault->value),
              "%s (with %s): the text names neither %s nor %s: %s", fault->name, beside,
              fault->argument, fault->value, text);
}

Test(avg_pool_backward_refusals, the_sound_call_is_accepted)
{
    uint64_t size = 0xABCD;
    aclOpExecutor *executor = NULL;
    cr_assert_eq(phase1(&sound, &size, &executor), ACLNN_SUCCESS);
    cr_assert(size == 0 && executor != NULL);
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
}

Test(avg_pool_backward_refusals, each_fault_alone)
{
    for (int i = 0; i < FAULTS; i++) {
        struct call_spec spec = sound;
        faults[i].put(&spec);
        expect_refused(&spec, &faults[i], "nothing else");
    }
}

/* NCL is wrong for gradOutput and gradInput only while gradOutput has four dimensions. */
static bool hides(const struct fault *later, const struct fault *earlier)
{
    return strcmp(later->field, "dy.rank") == 0 && strstr(earlier->name, "NCL with 4");
}

static bool share_a_field(const char *a, const char *b)
{
    size_t length = strcspn(a, ".");
    bool is_same_object = length == strcspn(b, ".") && memcmp(a, b, length) == 0;
    return is_same_object && (strcmp(a, b) == 0 || !a[length] || !b[length]);
}

/* Two faults at once: the earlier check speaks. */
Test(avg_pool_backward_refusals, each_pair_in_order)
{
    for (int i = 0; i < FAULTS; i++) {
        for (int j = i + 1; j < FAULTS; j++) {
            if (share_a_field(faults[i].field, faults[j].field)) continue;
            if (hides(&faults[j], &faults[i])) continue;
            struct call_spec spec = sound;
            faults[j].put(&spec);
            faults[i].put(&spec);
            expect_refused(&spec, &faults[i], faults[j].name);
        }
    }
}

/* ---- what only looks like a fault ---- */

static void expect_accepted(const struct call_spec *spec, const char *what)
{
    uint64_t size;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = phase1(spec, &size, &executor);
    const char *text = aclGetRecentErrMsg();
    cr_assert_eq(status, ACLNN_SUCCESS, "%s: %d %s", what, status, text ? text : "");
    cr_assert_eq(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
}

Test(avg_pool_backward_refusals, allowed_arguments)
{
    struct call_spec spec = sound;
    spec.self.type = ACL_BF16;
    expect_accepted(&spec, "self of another floating type");

    spec = sound;
    spec.self.format = ACL_FORMAT_NCL;
    expect_accepted(&spec, "self tagged NCL");

    spec = sound;
    spec.stride = (struct array_spec){.is_null = true};
    spec.kernel = (struct array_spec){.length = 1, .values = {2}};
    spec.padding = (struct array_spec){.length = 1, .values = {0}};
    expect_accepted(&spec, "stride NULL");
    spec.stride = (struct array_spec){.length = 0};
    expect_accepted(&spec, "stride of length 0");

    for (int8_t math = 0; math <= 3; math++) {
        spec = sound;
        spec.math = math;
        spec.dy.type = spec.self.type = spec.dx.type = ACL_BF16;
        expect_accepted(&spec, "BF16 with a cubeMathType");
    }

    static const int64_t divisors[] = {-1, 256, -256, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 5; i++) {
        spec = sound;
        spec.divisor = divisors[i];
        expect_accepted(&spec, "any divisorOverride");
    }

    spec = sound;
    spec.dy = (struct tensor_spec){
        .type = ACL_FLOAT, .format = ACL_FORMAT_NCL, .rank = 3, .dims = {3, 4, 5}, .storage = 60};
    spec.self = spec.dx = (struct tensor_spec){.type = ACL_FLOAT,
                                               .format = ACL_FORMAT_NCHW,
                                               .rank = 3,
                                               .dims = {3, 8, 10},
                                               .storage = 240};
    expect_accepted(&spec, "rank 3, NCL and NCHW");

    spec = sound;
    spec.dy.has_strides = true; /* all zero: one value for all */
    spec.dy.storage = 1;
    expect_accepted(&spec, "a broadcast gradOutput");
}

/* ---- shapes that do not fit the machine ---- */

static void expect_too_large(struct call_spec spec, const char *what)
{
    uint64_t size = 0xABCD;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = phase1(&spec, &size, &executor);
    const char *text = aclGetRecentErrMsg();
    cr_assert_eq(status, ACLNN_ERR_PARAM_INVALID, "%s: %d", what, status);
    cr_assert(text && *text && size == 0xABCD && !executor, "%s", what);
}

Test(avg_pool_backward_refusals, sizes_beyond_64_bits)
{
    const int64_t half = (int64_t)1 << 31, most = INT64_MAX;
    struct call_spec spec = sound;
    spec.kernel = spec.stride = (struct array_spec){.length = 1, .values = {1}};
    spec.padding = (struct array_spec){.length = 1, .values = {0}};
    for (int i = 0; i < 4; i++)
        spec.dy.dims[i] = spec.self.dims[i] = spec.dx.dims[i] = half;
    spec.dy.storage = spec.dx.storage = most;
    expect_too_large(spec, "2^124 elements");

    for (int i = 0; i < 2; i++)
        spec.dy.dims[i] = spec.self.dims[i] = spec.dx.dims[i] = 1;
    for (int i = 0; i < 4; i++)
        spec.dy.strides[i] = spec.dx.strides[i] = 1;
    spec.dy.has_strides = spec.dx.has_strides = true;
    expect_too_large(spec, "2^62 elements on top of each other");

    spec = sound;
    spec.dx.offset = most - 5;
    spec.dx.storage = most;
    expect_too_large(spec, "an offset at the end of all memory");
    spec.dx.offset = -1;
    expect_too_large(spec, "a negative offset");

    spec = sound;
    spec.dy.has_strides = true;
    spec.dy.strides[3] = most / 2;
    spec.dy.storage = most;
    expect_too_large(spec, "a stride that reaches too far");
    spec.dy.strides[3] = -1;
    expect_too_large(spec, "a negative stride");

    spec = sound;
    spec.dx.has_strides = true; /* all zero */
    expect_too_large(spec, "gradInput's elements in one place");
    memcpy(spec.dx.strides, (int64_t[]){240, 80, 9, 1}, 4 * sizeof(int64_t));
    expect_too_large(spec, "gradInput's rows overlap");

    spec = sound;
    spec.ceil = true;
    spec.stride = (struct array_spec){.length = 1, .values = {most}};
    expect_too_large(spec, "a stride near 2^63 with ceilMode and the wrong extent");
    spec = sound;
    spec.kernel = (struct array_spec){.length = 1, .values = {most}};
    spec.padding = (struct array_spec){.length = 1, .values = {most / 2}};
    expect_too_large(spec, "padding whose double does not fit");
}

/* Extents of one axis near 2^63 must not overflow on the way to a refusal or a plan. */
Test(avg_pool_backward_refusals, extents_near_the_limit)
{
    static const int64_t values[] = {1, 2, 3, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
    enum { COUNT = sizeof values / sizeof values[0] };
    for (int code = 0; code < COUNT * COUNT * COUNT * COUNT * 2; code++) {
        struct call_spec spec = sound;
        int rest = code / 2;
        spec.ceil = code & 1;
        spec.dx.dims[3] = spec.self.dims[3] = values[rest % COUNT];
        spec.kernel.values[1] = values[rest / COUNT % COUNT];
        spec.stride.values[1] = values[rest / COUNT / COUNT % COUNT];
        spec.padding.values[1] = values[rest / COUNT / COUNT / COUNT];
        if (spec.padding.values[1] == 3) spec.padding.values[1] = spec.kernel.values[1] / 2;
        spec.dx.storage = INT64_MAX;
        uint64_t size;
        aclOpExecutor *executor = NULL;
        aclnnStatus status = phase1(&spec, &size, &executor);
        cr_assert(status == ACLNN_SUCCESS || status == ACLNN_ERR_PARAM_INVALID, "%d", status);
        if (status == ACLNN_SUCCESS) aclDestroyAclOpExecutor(executor);
    }
}
