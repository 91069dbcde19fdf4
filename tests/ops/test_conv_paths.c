/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution's paths that random problems are too small for, against the definition: windows of
 * one element, several blocks of channels, windows that no band holds, bf16 by dot products. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "tests/ops/suite.h"
#include "tests/support/rows_conv.h"

RIG_SUITE(conv_paths);

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

static struct conv_problem problem_of(const struct shape *s, const struct rig_operator *op,
                                      bool transposed, enum case_dtype dtype)
{
    struct conv_problem p = conv_plain(op, s->axes, dtype);
    p.transposed = transposed;
    p.batch = s->batch;
    p.groups = s->groups;
    p.small_channels = s->small;
    p.large_channels = s->large;
    for (int i = CONV_AXES - s->axes; i < CONV_AXES; i++) {
        p.large[i] = s->extent[i];
        p.kernel[i] = s->kernel[i];
        p.stride[i] = s->stride;
        p.dilation[i] = s->dilation;
        p.pad[i] = p.pad_end[i] = s->pad;
    }
    conv_settle(&p);
    p.seed = 12;
    return p;
}

static void check_all(const struct rig_operator *op, bool transposed)
{
    static const enum case_layout others[] = {CASE_CHANNELS_LAST, CASE_BROADCAST};
    for (int i = 0; i < LENGTH(shapes); i++)
        for (int j = 0; j < CASE_FLOATS + 4; j++) { /* other layouts of FLOAT and BFLOAT16 */
            const int dtype = j < CASE_FLOATS ? j : j < CASE_FLOATS + 2 ? CASE_F32 : CASE_BF16;
            if (conv_repeats((enum case_dtype)dtype)) continue;
            struct conv_problem p = problem_of(&shapes[i], op, transposed, (enum case_dtype)dtype);
            for (int k = 0; j >= CASE_FLOATS && k < CONV_GRAD_BIAS; k++) {
                const bool is_read = op == &rig_convolution ? k != CONV_OUTPUT : k <= CONV_WEIGHT;
                p.layout[k] = others[(j - CASE_FLOATS) % 2];
                if (!is_read && p.layout[k] == CASE_BROADCAST) p.layout[k] = CASE_STRIDED;
            }
            const struct test_case test = conv_case(&p);
            rig_load(&rig, op, &test);
            cr_expect(rig_run(&rig, RIG_END) && rig_compare(&rig), "%s: %s", shapes[i].name,
                      rig.text);
        }
}

Test(conv_paths, gradients)
{
    check_all(&rig_convolution_backward, false);
}

Test(conv_paths, gradients_of_transposed)
{
    check_all(&rig_convolution_backward, true);
}

Test(conv_paths, forward)
{
    check_all(&rig_convolution, false);
}

/* ---- the stack of a thread keeps what earlier calls packed there ---- */

static void run_with_nan(const struct conv_problem *problem)
{
    const struct test_case test = conv_case(problem);
    rig_load_inputs(&rig, problem->op, &test);
    for (int i = 0; i < rig.problem.operands; i++) {
        const struct rig_tensor *tensor = &rig.problem.tensor[i];
        if (rig_role_of(&rig.problem.call, i)->role != RIG_READ || tensor->count == 0) continue;
        double *nan = malloc(sizeof *nan * (size_t)tensor->count);
        cr_assert_not_null(nan);
        for (int64_t j = 0; j < tensor->count; j++)
            nan[j] = (double)NAN;
        rig_set(&rig, i, nan);
        free(nan);
    }
    cr_assert(rig_run(&rig, RIG_END), "%s", rig.text);
}

Test(conv_alone, no_infinity_outlives_its_call, .timeout = 600)
{
    static const struct shape few = {"few", 2, 2, 3, 3, 2, {1, 3, 90}, {1, 2, 3}, 1, 1, 1};
    static const struct shape some = {"some", 1, 2, 1, 20, 18, {1, 1, 90}, {1, 1, 3}, 1, 1, 1};
    static const struct shape many = {"many", 1, 1, 1, 40, 70, {1, 1, 90}, {1, 1, 3}, 1, 1, 1};
    static const struct shape point = {"point", 1, 2, 1, 40, 70, {1, 1, 90}, {1, 1, 1}, 1, 1, 0};
    static const struct shape *const all[] = {&few, &some, &many, &point};
    static const int64_t widths[] = {1,  2,  3,  4,  5,  7,  8,  9,  11,
                                     12, 13, 15, 16, 17, 20, 25, 31, 33};
    setenv("ACLNN_CPU_THREADS", "1", 1); /* both calls of a pair have the same stack */
    begin();
    for (int i = 0; i < LENGTH(all) * LENGTH(widths); i++)
        for (int j = 0; j < 4 * CASE_FLOATS; j++) {
            struct shape shape = *all[i % LENGTH(all)];
            const struct rig_operator *op = j & 1 ? &rig_convolution : &rig_convolution_backward;
            const bool transposed = j & 2;
            const enum case_dtype dtype = (enum case_dtype)(j / 4);
            if (conv_repeats(dtype)) continue;
            const struct conv_problem before = problem_of(&shape, op, transposed, dtype);
            run_with_nan(&before);
            shape.extent[2] = widths[i / LENGTH(all)];
            const struct conv_problem after = problem_of(&shape, op, transposed, dtype);
            const struct test_case test = conv_case(&after);
            rig_load(&rig, op, &test);
            cr_expect(rig_run(&rig, RIG_END) && rig_compare(&rig), "%s: %s", shape.name, rig.text);
        }
    end();
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

Test(conv_alone, extents_beyond_32_bits)
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
