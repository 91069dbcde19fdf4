/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of convolution against their definition: random problems of one to three axes,
 * strides, dilations, pads, groups, transposed or not, every layout, each result asked for or not.
 * test_conv_properties.c holds what relates calls to each other. */
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

TestSuite(conv_backward, .init = begin, .fini = end, .timeout = 900);

enum { CASES = 100 };

static void check_random(enum case_dtype dtype, bool mixed, uint64_t salt)
{
    if (!mixed && conv_rig_repeats(dtype)) return;
    for (int op = CONV_BACKWARD; op < CONV_FORWARD; op++) {
        struct random random = {random_test_seed() + salt + 16 * (uint64_t)op};
        const int64_t cases = random_test_count(CASES);
        for (int64_t i = 0; i < cases; i++) {
            const struct conv_case test =
                conv_random_case(&random, (enum conv_operator)op, dtype, mixed);
            cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
        }
    }
}

Test(conv_backward, random_f32)
{
    check_random(CASE_F32, false, 1);
}

Test(conv_backward, random_f16)
{
    check_random(CASE_F16, false, 2);
}

Test(conv_backward, random_bf16)
{
    check_random(CASE_BF16, false, 3);
}

Test(conv_backward, random_mixed_types)
{
    check_random(CASE_F32, true, 4);
}

/* A problem without surprises that the tests below change. */
static struct conv_case plain_case(int axes)
{
    static const aclFormat formats[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
    struct conv_case test = {.axes = axes, .mask = {true, true, true}, .seed = 5};
    test.conv = (struct oracle_conv){.batch = 2,
                                     .groups = 1,
                                     .large_channels = 5,
                                     .small_channels = 9,
                                     .large = {1, 1, 1},
                                     .small = {1, 1, 1},
                                     .kernel = {1, 1, 1},
                                     .stride = {1, 1, 1},
                                     .dilation = {1, 1, 1}};
    for (int i = ORACLE_CONV_AXES - axes; i < ORACLE_CONV_AXES; i++) {
        test.conv.large[i] = 6 + i;
        test.conv.kernel[i] = 3;
        test.conv.pad[i] = test.pad_end[i] = 1;
        test.conv.small[i] = 6 + i;
    }
    for (int i = 0; i < CONV_TENSORS; i++)
        test.format[i] = i == CONV_GRAD_BIAS ? ACL_FORMAT_ND : formats[axes - 1];
    return test;
}

/* Blocks of every size: channels and positions around the register blocks and the item's blocks,
 * depths around the length of a block, several parts of the weight's gradient. */
Test(conv_backward, blocks_of_every_size)
{
    if (conv_rig_repeats(CASE_F32)) return;
    static const int64_t channels[] = {1, 2, 7, 8, 9, 16, 63, 64, 65, 257};
    static const int64_t widths[] = {1, 15, 16, 17, 47, 48, 49, 191, 193, 528, 529, 2500};
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            struct conv_case test = plain_case(1);
            test.conv.large_channels = channels[c];
            test.conv.small_channels = channels[(c + w) % (sizeof channels / sizeof *channels)];
            if (test.conv.large_channels * test.conv.small_channels * widths[w] > 4000000) continue;
            test.conv.large[2] = test.conv.small[2] = widths[w];
            cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
        }
}

/* ONNX Runtime's col2im for one and three axes forgets the groups. */
Test(conv_backward, groups_in_one_and_three_axes)
{
    for (int axes = 1; axes <= 3; axes += 2)
        for (int64_t groups = 2; groups <= 4; groups++) {
            struct conv_case test = plain_case(axes);
            test.op = CONV_GRAD;
            test.conv.groups = groups;
            test.conv.large_channels = 3;
            test.conv.small_channels = 2;
            cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
        }
}

Test(conv_backward, one_pixel_and_a_kernel_of_the_padded_size)
{
    struct conv_case test = plain_case(2);
    for (int i = 1; i < ORACLE_CONV_AXES; i++) {
        test.conv.large[i] = 1;
        test.conv.kernel[i] = 5;
        test.conv.pad[i] = test.pad_end[i] = 2;
        test.conv.small[i] = 1;
    }
    cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
    test.conv.groups = 12; /* depthwise */
    test.conv.large_channels = test.conv.small_channels = 1;
    cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
}

/* A stride much larger than the kernel leaves most of gradInput at 0. */
Test(conv_backward, strides_beyond_the_kernel)
{
    struct conv_case test = plain_case(1);
    test.conv.large[2] = 200;
    test.conv.kernel[2] = 2;
    test.conv.stride[2] = 67;
    test.conv.pad[2] = test.pad_end[2] = 0;
    test.conv.small[2] = 3;
    cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
    test.conv.stride[2] = 1000;
    test.conv.dilation[2] = 7;
    test.conv.small[2] = 1;
    cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
}
