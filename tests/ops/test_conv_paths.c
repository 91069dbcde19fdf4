/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution's paths that random problems are too small for, against the definition: windows of
 * one element, several blocks of channels, windows that no band holds, bf16 by dot products. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "tests/support/conv_rig.h"

struct shape {
    const char *name;
    int axes;
    int64_t batch, groups, small, large; /* channels of a group */
    int64_t extent[3], kernel[3], stride, dilation, pad;
};

static const struct shape shapes[] = {
    {"1x1", 2, 2, 1, 40, 48, {1, 9, 13}, {1, 1, 1}, 1, 1, 0},
    {"1x1 in groups", 2, 2, 3, 33, 35, {1, 8, 11}, {1, 1, 1}, 1, 1, 0},
    {"1x1x1, several column blocks", 3, 1, 1, 32, 34, {3, 23, 29}, {1, 1, 1}, 1, 1, 0},
    {"1x1 of whole tiles", 2, 1, 1, 36, 40, {1, 24, 48}, {1, 1, 1}, 1, 1, 0},
    {"1x1, images in a tile", 2, 4, 1, 300, 140, {1, 5, 7}, {1, 1, 1}, 1, 1, 0},
    {"odd rows, many images", 2, 5, 1, 35, 36, {1, 7, 7}, {1, 3, 3}, 1, 1, 1},
    {"several blocks of channels", 2, 2, 1, 200, 70, {1, 9, 8}, {1, 3, 3}, 1, 1, 1},
    {"a row longer than a tile", 1, 2, 1, 20, 20, {1, 1, 501}, {1, 1, 5}, 1, 1, 2},
    {"tiles of unequal rows", 2, 3, 1, 20, 18, {1, 23, 50}, {1, 3, 3}, 1, 1, 1},
    {"odd rows, stride", 2, 3, 1, 36, 30, {1, 15, 17}, {1, 3, 3}, 2, 1, 1},
    {"more taps than a block of sums", 2, 1, 1, 20, 2, {1, 40, 41}, {1, 29, 31}, 1, 1, 0},
    {"a reach that no band holds", 1, 1, 1, 20, 20, {1, 1, 16500}, {1, 1, 2}, 1, 16450, 0},
};

static struct conv_case case_of(const struct shape *s, enum conv_operator op, bool transposed,
                                enum case_dtype dtype)
{
    static const aclFormat formats[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
    struct conv_case test = {.op = op,
                             .axes = s->axes,
                             .transposed = transposed,
                             .mask = {true, true, true},
                             .seed = 12};
    struct oracle_conv *c = &test.conv;
    c->batch = s->batch;
    c->groups = s->groups;
    c->small_channels = s->small;
    c->large_channels = s->large;
    for (int i = 0; i < ORACLE_CONV_AXES; i++) {
        const bool is_used = i >= ORACLE_CONV_AXES - s->axes;
        c->large[i] = s->extent[i];
        c->kernel[i] = s->kernel[i];
        c->stride[i] = is_used ? s->stride : 1;
        c->dilation[i] = is_used ? s->dilation : 1;
        c->pad[i] = test.pad_end[i] = is_used ? s->pad : 0;
        c->small[i] =
            (c->large[i] + 2 * c->pad[i] - (c->kernel[i] - 1) * c->dilation[i] - 1) / c->stride[i] +
            1;
    }
    for (int i = 0; i < CONV_TENSORS; i++) {
        test.dtype[i] = dtype;
        test.format[i] = i == CONV_GRAD_BIAS ? ACL_FORMAT_ND : formats[s->axes - 1];
    }
    return test;
}

static struct conv_rig rig;

static void check_all(enum conv_operator op, bool transposed)
{
    static const enum case_layout others[] = {CASE_CHANNELS_LAST, CASE_BROADCAST};
    conv_rig_begin(&rig);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int j = 0; j < CASE_FLOATS + 4; j++) { /* other layouts of FLOAT and BFLOAT16 */
            const int dtype = j < CASE_FLOATS ? j : j < CASE_FLOATS + 2 ? CASE_F32 : CASE_BF16;
            if (conv_rig_repeats((enum case_dtype)dtype)) continue;
            struct conv_case test = case_of(&shapes[i], op, transposed, (enum case_dtype)dtype);
            for (int k = 0; j >= CASE_FLOATS && k < CONV_GRAD_BIAS; k++) {
                const bool is_read = op == CONV_FORWARD ? k != CONV_OUTPUT : k <= CONV_WEIGHT;
                test.layout[k] = others[(j - CASE_FLOATS) % 2];
                if (!is_read && test.layout[k] == CASE_BROADCAST) test.layout[k] = CASE_STRIDED;
            }
            cr_expect(conv_rig_check(&rig, &test), "%s: %s", shapes[i].name, rig.text);
        }
    conv_rig_end(&rig);
}

Test(conv_paths, gradients, .timeout = 600)
{
    check_all(CONV_BACKWARD, false);
}

Test(conv_paths, gradients_of_transposed, .timeout = 600)
{
    check_all(CONV_BACKWARD, true);
}

Test(conv_paths, forward, .timeout = 600)
{
    check_all(CONV_FORWARD, false);
}

/* ---- the stack of a thread keeps what earlier calls packed there ---- */

static void run_with_nan(const struct conv_case *test)
{
    conv_rig_load(&rig, test);
    for (int i = 0; i < CONV_TENSORS; i++)
        for (int64_t j = 0; conv_rig_reads(&rig, i) && j < operand_elements(&rig.operand[i]); j++)
            rig.values[i][j] = NAN;
    cr_assert(conv_rig_run(&rig, GUARD_END), "%s", rig.text);
}

Test(conv_paths, no_infinity_outlives_its_call, .timeout = 600)
{
    static const struct shape few = {"few", 2, 2, 3, 3, 2, {1, 3, 90}, {1, 2, 3}, 1, 1, 1};
    static const struct shape some = {"some", 1, 2, 1, 20, 18, {1, 1, 90}, {1, 1, 3}, 1, 1, 1};
    static const struct shape many = {"many", 1, 1, 1, 40, 70, {1, 1, 90}, {1, 1, 3}, 1, 1, 1};
    static const struct shape point = {"point", 1, 2, 1, 40, 70, {1, 1, 90}, {1, 1, 1}, 1, 1, 0};
    static const struct shape *const all[] = {&few, &some, &many, &point};
    enum { SHAPES = sizeof all / sizeof all[0] };
    static const int64_t widths[] = {1,  2,  3,  4,  5,  7,  8,  9,  11,
                                     12, 13, 15, 16, 17, 20, 25, 31, 33};
    setenv("ACLNN_CPU_THREADS", "1", 1); /* both calls of a pair have the same stack */
    conv_rig_begin(&rig);
    for (size_t i = 0; i < SHAPES * sizeof widths / sizeof widths[0]; i++)
        for (int j = 0; j < 4 * CASE_FLOATS; j++) {
            struct shape shape = *all[i % SHAPES];
            const enum conv_operator op = j & 1 ? CONV_FORWARD : CONV_BACKWARD;
            const bool transposed = j & 2;
            const enum case_dtype dtype = (enum case_dtype)(j / 4);
            if (conv_rig_repeats(dtype)) continue;
            const struct conv_case before = case_of(&shape, op, transposed, dtype);
            run_with_nan(&before);
            shape.extent[2] = widths[i / SHAPES];
            const struct conv_case test = case_of(&shape, op, transposed, dtype);
            cr_expect(conv_rig_check(&rig, &test), "%s: %s", shape.name, rig.text);
        }
    conv_rig_end(&rig);
}

/* ---- extents beyond 32 bits: phase 1 counts right and allocates nothing of their size ---- */

static aclTensor *tensor_of(const int64_t dims[4], void *data)
{
    /* Of the only image, whose stride nobody asks for; the product may be beyond 64 bits. */
    const int64_t image = (int64_t)((uint64_t)dims[1] * (uint64_t)(dims[2] * dims[3]));
    const int64_t strides[] = {image, dims[2] * dims[3], dims[3], 1};
    return aclCreateTensor(dims, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_NCHW, dims, 4, data);
}

/* Phase 1 of all gradients of a 3 x 3 convolution, padding 1, on planes of 2 rows. */
static aclnnStatus plan_of_width(int64_t width, int64_t channels, uint64_t *size)
{
    static char memory[64]; /* phase 1 reads nothing */
    const int64_t activation[] = {1, channels, 2, width}, weight[] = {channels, channels, 3, 3};
    const int64_t one[] = {1, 1}, none[] = {0, 0};
    const bool all[] = {true, true, true};
    aclTensor *dy = tensor_of(activation, memory), *x = tensor_of(activation, memory);
    aclTensor *w = tensor_of(weight, memory), *dx = tensor_of(activation, memory);
    aclTensor *dw = tensor_of(weight, memory);
    const int64_t step = 1;
    aclTensor *db =
        aclCreateTensor(&channels, 1, ACL_FLOAT, &step, 0, ACL_FORMAT_ND, &channels, 1, memory);
    aclIntArray *ones = aclCreateIntArray(one, 2), *zeros = aclCreateIntArray(none, 2);
    aclBoolArray *mask = aclCreateBoolArray(all, 3);
    aclOpExecutor *executor = NULL;
    const aclnnStatus status = aclnnConvolutionBackwardGetWorkspaceSize(
        dy, x, w, NULL, ones, ones, ones, false, zeros, 1, mask, 0, dx, dw, db, size, &executor);
    if (status == ACLNN_SUCCESS) aclDestroyAclOpExecutor(executor);
    aclTensor *tensors[] = {dy, x, w, dx, dw, db};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        aclDestroyTensor(tensors[i]);
    aclDestroyIntArray(ones);
    aclDestroyIntArray(zeros);
    aclDestroyBoolArray(mask);
    return status;
}

Test(conv_paths, extents_beyond_32_bits)
{
    const int64_t channels[] = {1, 8, 64, 200}; /* each way of computing */
    cr_assert_eq(aclInit(NULL), ACL_SUCCESS);
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++)
        for (int64_t width = (INT64_C(1) << 31) - 1; width <= INT64_C(1) << 34;
             width += width / 2) {
            const uint64_t c = (uint64_t)channels[i];
            uint64_t size = UINT64_MAX;
            cr_expect_eq(plan_of_width(width, channels[i], &size), ACLNN_SUCCESS, "%s",
                         aclGetRecentErrMsg());
            cr_expect_leq(size, (8U << 20) + (c + 8) * (c + 8) * 9 * 4, "%" PRIu64 " bytes", size);
        }
    uint64_t size = 0;
    cr_expect_neq(plan_of_width(INT64_MAX / 4, 64, &size), ACLNN_SUCCESS);
    aclFinalize();
}
