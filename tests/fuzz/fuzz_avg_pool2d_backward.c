/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes become the arguments of aclnnAvgPool2dBackwardGetWorkspaceSize. Refusals must have a
 * code and a text and write nothing; what is accepted must be sound by the contract, and when it is
 * small it runs, in storage of exactly the touched size, and is compared with the oracle. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "tests/support/compare.h"
#include "tests/support/fuzz_bytes.h"
#include "tests/support/operand.h"
#include "tests/support/oracle.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_RANK = 6, MOST_ENTRIES = 4, SMALL = 1 << 14, MOST_WORK = 1 << 20 };

/* ---- bytes to arguments ---- */

/* Mostly `count` numbers from `first` on, at times one that breaks something. */
static int64_t take_number(struct bytes *bytes, int first, int count)
{
    static const int64_t wild[] = {-1,
                                   0,
                                   1,
                                   255,
                                   65536,
                                   (int64_t)1 << 31,
                                   ((int64_t)1 << 32) + 1,
                                   (int64_t)1 << 40,
                                   (int64_t)1 << 62,
                                   INT64_MAX - 1,
                                   INT64_MAX,
                                   INT64_MIN};
    uint8_t byte = take(bytes);
    if (byte < 240) return first + byte % count;
    return wild[take(bytes) % (sizeof wild / sizeof wild[0])];
}

struct tensor {
    bool is_null;
    aclDataType type;
    aclFormat format;
    int rank;
    int64_t dims[MOST_RANK], strides[MOST_RANK], offset, storage;
    bool has_strides;
};

struct array {
    bool is_null;
    int length;
    int64_t values[MOST_ENTRIES];
};

struct arguments {
    struct tensor dy, self, dx;
    struct array kernel, stride, pad;
    bool ceil, count_padding;
    int64_t divisor;
    int8_t math;
    uint8_t nulls, seed;
};

/* What the bits of the first byte leave to the bytes instead of making it fit the rest. */
enum {
    FREE_DY = 1,
    FREE_SELF = 2,
    FREE_TYPES = 4,
    FREE_FORMATS = 8,
    FREE_NULLS = 16,
    FREE_DY_STRIDES = 32,
    FREE_DX_STRIDES = 64,
    FREE_STORAGE = 128
};

static struct array take_array(struct bytes *bytes, int least, int count)
{
    struct array array = {.length = take(bytes)};
    array.length = array.length < 250 ? array.length % 3 : array.length % (MOST_ENTRIES + 1);
    if (array.length == 0 && least > 0 && take(bytes) < 240) array.length = 1;
    for (int i = 0; i < array.length; i++)
        array.values[i] = take_number(bytes, least, count);
    return array;
}

static int64_t entry(const struct array *array, int axis)
{
    return array->values[array->length > 1 ? axis : 0];
}

/* The extent that fits when all is small and sound, else 1. */
static int64_t fitting_extent(const struct arguments *a, int axis, int64_t input)
{
    if (a->kernel.length < 1 || a->pad.length < 1) return 1;
    int64_t kernel = entry(&a->kernel, axis), pad = entry(&a->pad, axis);
    int64_t stride = a->stride.length > 0 ? entry(&a->stride, axis) : kernel;
    const int64_t values[] = {input, kernel, pad, stride};
    for (int i = 0; i < 4; i++) {
        if (values[i] < 0 || values[i] > 1 << 20) return 1;
    }
    return stride == 0 ? 1 : oracle_output_extent(input, kernel, stride, pad, a->ceil);
}

static void take_strides(struct bytes *bytes, struct tensor *tensor, bool is_free)
{
    if (is_free) {
        tensor->has_strides = true;
        tensor->offset = take_number(bytes, 0, 8);
        for (int i = 0; i < tensor->rank; i++)
            tensor->strides[i] = take_number(bytes, 0, 100);
    } else if (take(bytes) & 1) { /* channels last */
        int64_t step = 1;
        int channel = tensor->rank - 3;
        tensor->has_strides = true;
        for (int i = tensor->rank; i >= 0; i--) {
            int axis = i == tensor->rank ? channel : i;
            if (axis < 0 || (i == channel && i < tensor->rank)) continue;
            tensor->strides[axis] = step;
            if (__builtin_mul_overflow(step, tensor->dims[axis], &step)) step = 1;
        }
    }
}

static struct arguments take_arguments(struct bytes *bytes)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    struct arguments a = {0};
    uint8_t is_free = take(bytes), choice = take(bytes);
    a.ceil = choice & 1;
    a.count_padding = choice & 2;
    a.math = (int8_t)take_number(bytes, 0, 5);
    a.divisor = choice & 4 ? take_number(bytes, choice & 8 ? -20 : 0, 50) : 0;
    a.seed = take(bytes);
    a.kernel = take_array(bytes, 1, 6);
    a.stride = take_array(bytes, 1, 5);
    a.pad = take_array(bytes, 0, 3);
    if (is_free & FREE_NULLS) a.nulls = take(bytes);
    if (a.nulls & 16) a.stride.length = 0; /* a null stride is the kernel, as an empty one */
    struct tensor *all[] = {&a.dx, &a.self, &a.dy};
    for (int i = 0; i < 3; i++) {
        struct tensor *t = all[i];
        t->type =
            is_free & FREE_TYPES ? (aclDataType)(take(bytes) % 36 - 1) : types[(choice >> 4) % 3];
        t->rank = i == 0 ? (choice & 64 ? 3 : 4) : a.dx.rank;
        t->format = is_free & FREE_FORMATS ? (aclFormat)(take(bytes) % 50 - 1)
                                           : (t->rank == 3 ? ACL_FORMAT_NCL : ACL_FORMAT_NCHW);
        if (i == 0 || is_free & (i == 1 ? FREE_SELF : FREE_DY)) {
            uint8_t rank = take(bytes);
            if (rank >= 240) t->rank = rank % (MOST_RANK + 1);
            for (int j = 0; j < t->rank; j++)
                t->dims[j] = take_number(bytes, 0, j < t->rank - 2 ? 5 : 24);
        } else {
            memcpy(t->dims, a.dx.dims, sizeof t->dims);
        }
    }
    for (int i = 0; i < 2 && !(is_free & FREE_DY) && a.dx.rank >= 2; i++) {
        int axis = a.dx.rank - 2 + i;
        a.dy.dims[axis] = fitting_extent(&a, i, a.dx.dims[axis]);
    }
    take_strides(bytes, &a.dx, is_free & FREE_DX_STRIDES);
    take_strides(bytes, &a.dy, is_free & FREE_DY_STRIDES);
    a.dx.storage = a.dy.storage = a.self.storage = INT64_MAX;
    if (is_free & FREE_STORAGE) {
        a.dx.storage = take_number(bytes, 0, 240);
        a.dy.storage = take_number(bytes, 0, 240);
    }
    return a;
}

/* ---- what the contract says ---- */

struct reach {
    bool is_known; /* no overflow, not below 0 */
    bool is_empty;
    int64_t elements, last; /* of the view; number of the last element touched */
};

static void fill_strides(struct tensor *tensor)
{
    int64_t step = 1;
    if (tensor->has_strides) return;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        tensor->strides[i] = step;
        if (__builtin_mul_overflow(step, tensor->dims[i], &step)) step = INT64_MAX;
    }
}

static struct reach reach_of(const struct tensor *tensor)
{
    struct reach reach = {.is_known = tensor->offset >= 0, .elements = 1, .last = tensor->offset};
    for (int i = 0; i < tensor->rank; i++) {
        int64_t part;
        if (tensor->dims[i] == 0) reach.is_empty = true;
        if (tensor->strides[i] < 0 || tensor->dims[i] < 0 ||
            __builtin_mul_overflow(reach.elements, tensor->dims[i], &reach.elements) ||
            __builtin_mul_overflow(tensor->dims[i] - 1, tensor->strides[i], &part) ||
            __builtin_add_overflow(reach.last, part, &reach.last))
            reach.is_known = false;
    }
    return reach;
}

static bool is_float(const struct tensor *tensor)
{
    return tensor->type == ACL_FLOAT || tensor->type == ACL_FLOAT16 || tensor->type == ACL_BF16;
}

static bool has_format(const struct tensor *tensor)
{
    return tensor->format == ACL_FORMAT_NCHW || tensor->format == ACL_FORMAT_NCL;
}

static bool has_array(const struct array *array, int64_t least)
{
    if (array->length < 1 || array->length > 2) return false;
    for (int i = 0; i < array->length; i++) {
        if (array->values[i] < least) return false;
    }
    return true;
}

static bool same_dims(const struct tensor *a, const struct tensor *b, int count)
{
    return memcmp(a->dims, b->dims, (size_t)count * sizeof a->dims[0]) == 0;
}

/* Windows of one axis, in numbers that cannot overflow. */
static bool extent_fits(const struct arguments *a, int axis)
{
    __int128 input = a->dx.dims[a->dx.rank - 2 + axis], kernel = entry(&a->kernel, axis);
    __int128 pad = entry(&a->pad, axis), stride = kernel;
    if (a->stride.length > 0) stride = entry(&a->stride, axis);
    __int128 room = input + 2 * pad - kernel, output;
    if (room < 0 && !(a->ceil && room > -stride)) return false; /* ceil: one that is cut off */
    output = (room + (a->ceil ? stride - 1 : 0)) / stride + 1;
    if (a->ceil && (output - 1) * stride >= input + pad) output--;
    return a->dy.dims[a->dy.rank - 2 + axis] == output;
}

/* All rules of the arguments but those of views. */
static bool is_sound(const struct arguments *a)
{
    const struct tensor *all[] = {&a->dy, &a->self, &a->dx};
    if (a->nulls & ~0x10) return false; /* bit 4: a null stride is the kernel */
    for (int i = 0; i < 3; i++) {
        if (!is_float(all[i]) || !has_format(all[i]) || all[i]->rank < 3 || all[i]->rank > 4)
            return false;
        for (int j = 0; j < all[i]->rank; j++) {
            if (all[i]->dims[j] < 0) return false;
        }
    }
    if (a->dy.type != a->dx.type || a->dy.rank != a->dx.rank || a->self.rank != a->dx.rank)
        return false;
    if (a->dy.rank == 4 && (a->dy.format != ACL_FORMAT_NCHW || a->dx.format != ACL_FORMAT_NCHW))
        return false;
    if (!has_array(&a->kernel, 1) || !has_array(&a->pad, 0) || a->math < 0 || a->math > 3)
        return false;
    if (a->stride.length > 0 && !has_array(&a->stride, 1)) return false;
    for (int i = 0; i < 2; i++) {
        if (entry(&a->pad, i) > entry(&a->kernel, i) / 2) return false;
    }
    if (!same_dims(&a->self, &a->dx, a->dx.rank)) return false;
    if (reach_of(&a->dy).is_empty || reach_of(&a->dx).is_empty) return true;
    return same_dims(&a->dy, &a->dx, a->dx.rank - 2) && extent_fits(a, 0) && extent_fits(a, 1);
}

/* ---- the call ---- */

static aclrtStream stream;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    EXPECT(aclInit(NULL) == ACL_SUCCESS, "aclInit");
    EXPECT(aclrtSetDevice(0) == ACL_SUCCESS, "aclrtSetDevice");
    EXPECT(aclrtCreateStream(&stream) == ACL_SUCCESS, "aclrtCreateStream");
    return 0;
}

static aclTensor *make_tensor(const struct tensor *tensor, bool is_null, void *data)
{
    if (is_null) return NULL;
    return aclCreateTensor(tensor->dims, (uint64_t)tensor->rank, tensor->type,
                           tensor->has_strides ? tensor->strides : NULL, tensor->offset,
                           tensor->format, &tensor->storage, 1, data);
}

static aclIntArray *make_array(const struct array *array, bool is_null)
{
    return is_null ? NULL : aclCreateIntArray(array->values, (uint64_t)array->length);
}

struct call {
    aclTensor *dy, *self, *dx;
    uint64_t workspace_size;
    aclOpExecutor *executor;
};

static aclnnStatus phase1(const struct arguments *a, struct call *call)
{
    aclIntArray *kernel = make_array(&a->kernel, a->nulls & 8);
    aclIntArray *stride = make_array(&a->stride, a->nulls & 16);
    aclIntArray *pad = make_array(&a->pad, a->nulls & 32);
    call->dy = make_tensor(&a->dy, a->nulls & 1, NULL);
    call->self = make_tensor(&a->self, a->nulls & 2, NULL);
    call->dx = make_tensor(&a->dx, a->nulls & 4, NULL);
    call->workspace_size = UINT64_MAX;
    call->executor = NULL;
    aclGetRecentErrMsg();
    aclnnStatus status = aclnnAvgPool2dBackwardGetWorkspaceSize(
        call->dy, call->self, kernel, stride, pad, a->ceil, a->count_padding, a->divisor, a->math,
        call->dx, a->nulls & 64 ? NULL : &call->workspace_size,
        a->nulls & 128 ? NULL : &call->executor);
    aclDestroyIntArray(kernel);
    aclDestroyIntArray(stride);
    aclDestroyIntArray(pad);
    return status;
}

/* ---- running what was accepted ---- */

static enum case_dtype case_dtype_of(aclDataType type)
{
    return type == ACL_FLOAT ? CASE_F32 : type == ACL_FLOAT16 ? CASE_F16 : CASE_BF16;
}

static struct operand memory_of(const struct tensor *tensor)
{
    struct operand operand = {.dtype = case_dtype_of(tensor->type),
                              .format = tensor->format,
                              .rank = tensor->rank,
                              .offset = tensor->offset};
    memcpy(operand.dims, tensor->dims, (size_t)tensor->rank * sizeof tensor->dims[0]);
    memcpy(operand.strides, tensor->strides, (size_t)tensor->rank * sizeof tensor->strides[0]);
    operand.span = reach_of(tensor).last + 1;
    operand.data = malloc(operand_bytes(&operand));
    EXPECT(operand.data, "malloc");
    operand_poison(&operand, 0xFF);
    return operand;
}

static struct test_case case_of(const struct arguments *a)
{
    const int64_t *in = a->dx.dims + a->dx.rank - 3, *out = a->dy.dims + a->dy.rank - 3;
    struct test_case test = {
        .op = "avg_pool2d_backward",
        .dtype = case_dtype_of(a->dx.type),
        .batched = a->dx.rank == 4,
        .batch = a->dx.rank == 4 ? a->dx.dims[0] : 1,
        .channels = in[0],
        .axes = 2,
        .input = {in[1], in[2]},
        .has_output = true,
        .output = {out[1], out[2]},
        .kernel_length = a->kernel.length,
        .stride_length = a->nulls & 16 ? CASE_NO_ARRAY : a->stride.length,
        .pad_length = a->pad.length,
        .ceil = a->ceil,
        .exclude_pad = !a->count_padding,
        .divisor = a->divisor,
        .math = a->math,
        .seed = a->seed,
        .data = (enum case_data)(a->seed % CASE_TIES),
    };
    for (int i = 0; i < 2; i++) {
        test.kernel[i] = a->kernel.values[i];
        test.stride[i] = a->stride.values[i];
        test.pad[i] = a->pad.values[i];
    }
    return test;
}

static bool is_small(const struct arguments *a)
{
    struct reach dy = reach_of(&a->dy), dx = reach_of(&a->dx);
    if (dy.is_empty || dx.is_empty) return false;
    if (dy.elements > SMALL || dx.elements > SMALL || dy.last > SMALL || dx.last > SMALL)
        return false;
    double area = (double)entry(&a->kernel, 0) * (double)entry(&a->kernel, 1);
    return area * (double)dy.elements < MOST_WORK;
}

static void print_view(const struct tensor *tensor, char *text, size_t size)
{
    int used = snprintf(text, size, "offset %" PRId64 " strides", tensor->offset);
    for (int i = 0; i < tensor->rank; i++)
        used += snprintf(text + used, size - (size_t)used, " %" PRId64, tensor->strides[i]);
}

static bool is_right(const struct test_case *test, const struct oracle_sum *want, const double *got,
                     int64_t count, char *text, size_t size)
{
    const struct compare_rule rule = {
        test->dtype, 4, (double)case_window(test, 0).kernel * (double)case_window(test, 1).kernel};
    for (int64_t i = 0; i < count; i++) {
        double bound;
        if (compare_sum(&rule, &want[i], got[i], &bound)) continue;
        snprintf(text, size, "gradInput[%" PRId64 "]: expected %.9g, got %.9g, bound %.3g", i,
                 want[i].value, got[i], bound);
        return false;
    }
    return true;
}

/* Where three strides conspire to put two elements in one place, which one stays is not defined. */
static void run(const struct arguments *a, struct call *call)
{
    struct test_case test = case_of(a);
    struct operand dy = memory_of(&a->dy), dx = memory_of(&a->dx);
    struct random random = {a->seed};
    void *workspace = NULL;
    char line[CASE_LINE], text[512], dy_view[200], dx_view[200];
    case_print(&test, line);
    print_view(&a->dy, dy_view, sizeof dy_view);
    print_view(&a->dx, dx_view, sizeof dx_view);
    int64_t outputs = operand_elements(&dy), inputs = operand_elements(&dx);
    double *values = malloc((size_t)outputs * sizeof *values);
    double *got = malloc((size_t)inputs * sizeof *got);
    struct oracle_sum *want = malloc((size_t)inputs * sizeof *want);
    EXPECT(values && got && want, "malloc");
    operand_randomize(&dy, test.data, &random);
    operand_read(&dy, values);
    for (int64_t i = 0; i < outputs; i++)
        values[i] = oracle_operand(test.dtype, test.math, values[i]);
    oracle_avg_pool_backward(&test, values, want);

    if (call->workspace_size > 0)
        EXPECT(posix_memalign(&workspace, 32, call->workspace_size) == 0, "posix_memalign");
    aclSetRawTensorAddr(call->dy, dy.data);
    aclSetRawTensorAddr(call->dx, dx.data);
    aclnnStatus status =
        aclnnAvgPool2dBackward(workspace, call->workspace_size, call->executor, stream);
    EXPECT(status == ACLNN_SUCCESS, "%s: phase 2: %d %s", line, status, aclGetRecentErrMsg());
    EXPECT(aclrtSynchronizeStream(stream) == ACL_SUCCESS, "%s", line);
    operand_read(&dx, got);
    EXPECT(operand_overlaps(&dx) || is_right(&test, want, got, inputs, text, sizeof text),
           "%s\n  gradOutput %s, gradInput %s\n  %s", line, dy_view, dx_view, text);
    EXPECT(operand_gaps_hold(&dx, 0xFF), "%s\n  gradInput %s", line, dx_view);
    free(values);
    free(got);
    free(want);
    free(workspace);
    free(dy.data);
    free(dx.data);
}

static void check_accepted(const struct arguments *a, struct call *call)
{
    struct reach dy = reach_of(&a->dy), dx = reach_of(&a->dx);
    EXPECT(is_sound(a), "phase 1 accepted it");
    EXPECT(call->executor && call->workspace_size != UINT64_MAX, "phase 1 wrote no outputs");
    if (!dy.is_empty && !dx.is_empty) {
        EXPECT(dy.is_known && dx.is_known, "a view that cannot be");
        EXPECT(call->workspace_size / 4 <= (uint64_t)dy.elements + (uint64_t)dx.elements + 1024,
               "workspace of %" PRIu64, call->workspace_size);
    }
    if (is_small(a))
        run(a, call);
    else
        EXPECT(aclDestroyAclOpExecutor(call->executor) == ACLNN_SUCCESS, "destroy");
}

static bool has_plain_view(const struct tensor *tensor)
{
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] > 4096) return false;
    }
    return !tensor->has_strides && tensor->storage == INT64_MAX;
}

static bool is_vast(const struct array *array)
{
    for (int i = 0; i < array->length; i++) {
        if (array->values[i] > INT32_MAX) return true;
    }
    return false;
}

static void check_refused(const struct arguments *a, const struct call *call, aclnnStatus status)
{
    const char *text = aclGetRecentErrMsg();
    EXPECT(status == ACLNN_ERR_PARAM_INVALID || status == ACLNN_ERR_PARAM_NULLPTR, "%d", status);
    EXPECT(text && strstr(text, "aclnnAvgPool2dBackward"), "%s", text ? text : "no text");
    EXPECT(!call->executor && call->workspace_size == UINT64_MAX, "outputs written: %s", text);
    /* Plain views of countable size and windows below 2^31 are not a reason to refuse. */
    bool is_plain = has_plain_view(&a->dy) && has_plain_view(&a->dx) && !is_vast(&a->kernel) &&
                    !is_vast(&a->stride) && !is_vast(&a->pad);
    EXPECT(!is_plain || !is_sound(a), "refused: %s", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct arguments arguments = take_arguments(&bytes);
    struct call call;
    aclnnStatus status = phase1(&arguments, &call);
    fill_strides(&arguments.dy);
    fill_strides(&arguments.dx);
    if (status == ACLNN_SUCCESS)
        check_accepted(&arguments, &call);
    else
        check_refused(&arguments, &call, status);
    aclDestroyTensor(call.dy);
    aclDestroyTensor(call.self);
    aclDestroyTensor(call.dx);
    return 0;
}
