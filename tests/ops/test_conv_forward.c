/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, transposed convolution, convolution by channel and along time against their
 * definition: random problems of every rank, layout and type, with and without a bias. */
#include "tests/ops/suite.h"
#include "tests/support/rows_conv.h"

RIG_SUITE(conv_forward);

static void check_problem(const struct conv_problem *problem)
{
    const struct test_case test = conv_case(problem);
    cr_assert(rig_check(&rig, problem->op, &test), "%s", rig.text);
}

static void check_random(enum case_dtype dtype)
{
    if (conv_repeats(dtype)) return;
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++)
        if (conv_is_forward(rows_convolution[i])) check_dtype(rows_convolution[i], dtype);
}

Test(conv_forward, random_f32)
{
    check_random(CASE_F32);
}

Test(conv_forward, random_f16)
{
    check_random(CASE_F16);
}

Test(conv_forward, random_bf16)
{
    check_random(CASE_BF16);
}

Test(conv_forward, random_mixed_types)
{
    enum { MIXED = 30 };
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++) {
        struct random random = {random_test_seed() + 10 + 100 * (uint64_t)i};
        for (int64_t n = random_test_count(MIXED); n > 0; n--) {
            const struct conv_problem problem =
                conv_random(&random, rows_convolution[i], CASE_F32, true);
            if (conv_is_forward(problem.op)) check_problem(&problem);
        }
    }
}

/* Wide rows: vectors that lie inside of the plane, at its edges, and across rows. */
Test(conv_forward, depthwise_rows_of_every_width)
{
    static const int64_t widths[] = {1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 64, 65, 112, 130};
    for (int i = 0; i < LENGTH(widths); i++)
        for (int64_t stride = 1; stride <= 3; stride++)
            for (int64_t kernel = 1; kernel <= 7; kernel += 2)
                for (int type = 0; type < CASE_FLOATS; type++) {
                    struct conv_problem p =
                        conv_plain(&rig_conv_depthwise2d, 2, (enum case_dtype)type);
                    p.groups = 3;
                    p.small_channels = 1 + i % 2;
                    p.large[1] = 9;
                    p.large[2] = widths[i];
                    for (int axis = 1; axis < CONV_AXES; axis++) {
                        p.kernel[axis] = kernel;
                        p.stride[axis] = stride;
                        p.pad[axis] = p.pad_end[axis] = kernel / 2;
                    }
                    conv_settle(&p);
                    p.mask[2] = type == CASE_F32;
                    p.seed = 3 + (uint64_t)i;
                    check_problem(&p);
                }
}
