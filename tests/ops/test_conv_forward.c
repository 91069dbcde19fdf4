/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, transposed convolution, convolution by channel and along time against their
 * definition: random problems of every rank, layout and type, with and without a bias. */
#include <criterion/criterion.h>

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

TestSuite(conv_forward, .init = begin, .fini = end, .timeout = 900);

enum { CASES = 100 };

static void check_random(enum case_dtype dtype, bool mixed)
{
    if (!mixed && conv_rig_repeats(dtype)) return;
    for (int op = CONV_FORWARD; op < CONV_OPERATORS; op++) {
        struct random random = {random_test_seed() + (uint64_t)dtype + 10 * mixed +
                                100 * (uint64_t)op};
        const int64_t cases = random_test_count(CASES);
        for (int64_t i = 0; i < cases; i++) {
            const struct conv_case test =
                conv_random_case(&random, (enum conv_operator)op, dtype, mixed);
            cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
        }
    }
}

Test(conv_forward, random_f32)
{
    check_random(CASE_F32, false);
}

Test(conv_forward, random_f16)
{
    check_random(CASE_F16, false);
}

Test(conv_forward, random_bf16)
{
    check_random(CASE_BF16, false);
}

Test(conv_forward, random_mixed_types)
{
    check_random(CASE_F32, true);
}

/* Wide rows: vectors that lie inside of the plane, at its edges, and across rows. */
Test(conv_forward, depthwise_rows_of_every_width)
{
    static const int64_t widths[] = {1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 64, 65, 112, 130};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int64_t stride = 1; stride <= 3; stride++)
            for (int64_t kernel = 1; kernel <= 7; kernel += 2) {
                struct conv_case test = {.op = CONV_DEPTHWISE, .axes = 2, .seed = 3 + i};
                test.conv = (struct oracle_conv){.batch = 2,
                                                 .groups = 3,
                                                 .large_channels = 1,
                                                 .small_channels = 1 + (int64_t)i % 2,
                                                 .large = {1, 9, widths[i]},
                                                 .small = {1, 1, 1},
                                                 .kernel = {1, kernel, kernel},
                                                 .stride = {1, stride, stride},
                                                 .dilation = {1, 1, 1},
                                                 .pad = {0, kernel / 2, kernel / 2}};
                for (int axis = 1; axis < ORACLE_CONV_AXES; axis++) {
                    test.pad_end[axis] = test.conv.pad[axis];
                    test.conv.small[axis] = (test.conv.large[axis] - 1) / stride + 1;
                }
                for (int j = 0; j < CONV_TENSORS; j++)
                    test.format[j] = j == CONV_BIAS ? ACL_FORMAT_ND : ACL_FORMAT_NCHW;
                for (int type = 0; type < CASE_FLOATS; type++) {
                    for (int j = 0; j < CONV_TENSORS; j++)
                        test.dtype[j] = (enum case_dtype)type;
                    test.mask[2] = type == CASE_F32;
                    cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
                }
            }
}
