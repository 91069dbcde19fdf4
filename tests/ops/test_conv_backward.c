/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of convolution against their definition: random problems of one to three axes,
 * strides, dilations, pads, groups, transposed or not, every layout, each result asked for or not.
 * test_conv_properties.c holds what relates calls to each other. */
#include "tests/ops/suite.h"
#include "tests/support/rows_conv.h"

RIG_SUITE(conv_backward);

static void check_problem(const struct conv_problem *problem)
{
    const struct test_case test = conv_case(problem);
    cr_assert(rig_check(&rig, problem->op, &test), "%s", rig.text);
}

static void check_random(enum case_dtype dtype)
{
    if (conv_repeats(dtype)) return;
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++)
        if (!conv_is_forward(rows_convolution[i])) check_dtype(rows_convolution[i], dtype);
}

Test(conv_backward, random_f32)
{
    check_random(CASE_F32);
}

Test(conv_backward, random_f16)
{
    check_random(CASE_F16);
}

Test(conv_backward, random_bf16)
{
    check_random(CASE_BF16);
}

Test(conv_backward, random_mixed_types)
{
    enum { MIXED = 30 };
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++) {
        struct random random = {random_test_seed() + 4 + 16 * (uint64_t)i};
        for (int64_t n = random_test_count(MIXED); n > 0; n--) {
            const struct conv_problem problem =
                conv_random(&random, rows_convolution[i], CASE_F32, true);
            if (!conv_is_forward(problem.op)) check_problem(&problem);
        }
    }
}

Test(conv_backward, the_case_of_the_environment)
{
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++)
        check_environment(rows_convolution[i]);
}

Test(conv_backward, repeatable)
{
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++) {
        struct random random = {11};
        const struct test_case test = rig_random_case(rows_convolution[i], &random, CASE_F32);
        char line[CASE_LINE];
        check_repeatable(rows_convolution[i], case_print(&test, line));
    }
}

/* A problem without surprises that the tests below change. */
static struct conv_problem plain(int axes)
{
    struct conv_problem p = conv_plain(&rig_convolution_backward, axes, CASE_F32);
    p.large_channels = 5;
    p.small_channels = 9;
    for (int i = CONV_AXES - axes; i < CONV_AXES; i++) {
        p.large[i] = p.small[i] = 6 + i;
        p.kernel[i] = 3;
        p.pad[i] = p.pad_end[i] = 1;
    }
    return p;
}

/* Blocks of every size: channels and positions around the register blocks and the item's blocks,
 * depths around the length of a block, several parts of the weight's gradient. */
Test(conv_backward, blocks_of_every_size)
{
    if (conv_repeats(CASE_F32)) return;
    static const int64_t channels[] = {1, 2, 7, 8, 9, 16, 63, 64, 65, 257};
    static const int64_t widths[] = {1, 15, 16, 17, 47, 48, 49, 191, 193, 528, 529, 2500};
    for (int c = 0; c < LENGTH(channels); c++)
        for (int w = 0; w < LENGTH(widths); w++) {
            struct conv_problem p = plain(1);
            p.large_channels = channels[c];
            p.small_channels = channels[(c + w) % LENGTH(channels)];
            if (p.large_channels * p.small_channels * widths[w] > 4000000) continue;
            p.large[2] = p.small[2] = widths[w];
            check_problem(&p);
        }
}

/* ONNX Runtime's col2im for one and three axes forgets the groups. */
Test(conv_backward, groups_in_one_and_three_axes)
{
    for (int axes = 1; axes <= 3; axes += 2)
        for (int64_t groups = 2; groups <= 4; groups++) {
            struct conv_problem p = plain(axes);
            p.op = &rig_aclnnext_conv_grad;
            p.groups = groups;
            p.large_channels = 3;
            p.small_channels = 2;
            check_problem(&p);
        }
}

Test(conv_backward, one_pixel_and_a_kernel_of_the_padded_size)
{
    struct conv_problem p = plain(2);
    for (int i = 1; i < CONV_AXES; i++) {
        p.large[i] = p.small[i] = 1;
        p.kernel[i] = 5;
        p.pad[i] = p.pad_end[i] = 2;
    }
    check_problem(&p);
    p.groups = 12; /* depthwise */
    p.large_channels = p.small_channels = 1;
    check_problem(&p);
}

/* A stride much larger than the kernel leaves most of gradInput at 0. */
Test(conv_backward, strides_beyond_the_kernel)
{
    struct conv_problem p = plain(1);
    p.large[2] = 200;
    p.kernel[2] = 2;
    p.stride[2] = 67;
    p.pad[2] = p.pad_end[2] = 0;
    conv_settle(&p);
    check_problem(&p);
    p.stride[2] = 1000;
    p.dilation[2] = 7;
    conv_settle(&p);
    check_problem(&p);
}
