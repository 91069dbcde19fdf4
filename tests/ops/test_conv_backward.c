/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of convolution against their definition: random problems of one to three axes,
 * strides, dilations, pads, groups, transposed or not, every layout, each result asked for or not.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

enum { CASES = 3000 };

static void check_random(enum case_dtype dtype, bool mixed, uint64_t salt)
{
    struct random random = {random_test_seed() + salt};
    const int64_t cases = random_test_count(CASES);
    for (int64_t i = 0; i < cases; i++) {
        const struct conv_case test = conv_random_case(&random, dtype, mixed);
        cr_assert(conv_rig_check(&rig, &test), "%s", rig.text);
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
            test.is_grad = true;
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

/* ---- the same bits ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

/* Of all outputs of some problems, one of them large enough for several threads. */
static uint64_t outputs_hash(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct random random = {77};
    begin();
    for (int i = 0; i < 40; i++) {
        struct conv_case test = conv_random_case(&random, CASE_F32, i % 2 == 1);
        if (i == 0) {
            test = plain_case(2);
            test.conv.large_channels = 40;
            test.conv.small_channels = 70;
            test.conv.large[1] = test.conv.small[1] = 60;
            test.conv.large[2] = test.conv.small[2] = 61;
        }
        conv_rig_load(&rig, &test);
        if (!conv_rig_run(&rig, GUARD_END)) abort();
        for (int o = CONV_GRAD_INPUT; o < CONV_TENSORS; o++)
            for (int64_t j = 0; j < operand_elements(&rig.operand[o]); j++)
                hash = mix(hash, rig.bits[o][j]);
    }
    end();
    return hash;
}

static uint64_t hash_with(const char *variable, const char *value)
{
    int ends[2];
    uint64_t hash = 0;
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        setenv(variable, value, 1);
        hash = outputs_hash();
        _exit(write(ends[1], &hash, sizeof hash) == (ssize_t)sizeof hash ? 0 : 1);
    }
    close(ends[1]);
    int status = 1;
    const bool came = read(ends[0], &hash, sizeof hash) == (ssize_t)sizeof hash;
    waitpid(child, &status, 0);
    close(ends[0]);
    cr_assert(came && status == 0, "the child with %s=%s failed", variable, value);
    return hash;
}

Test(conv_backward_bits, threads_and_runs, .timeout = 300)
{
    const uint64_t one = hash_with("ACLNN_CPU_THREADS", "1");
    cr_assert_eq(one, hash_with("ACLNN_CPU_THREADS", "1"));
    cr_assert_eq(one, hash_with("ACLNN_CPU_THREADS", "2"));
    cr_assert_eq(one, hash_with("ACLNN_CPU_THREADS", "7"));
}

/* Levels with fused multiply-add agree; a level that the CPU lacks is the best one again. */
Test(conv_backward_bits, instruction_sets_with_fma, .timeout = 300)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) cr_skip("no FMA");
    cr_assert_eq(hash_with("ACLNN_CPU_ISA", "avx2"), hash_with("ACLNN_CPU_ISA", "avx512"));
#else
    cr_assert_eq(hash_with("ACLNN_CPU_ISA", "neon"), hash_with("ACLNN_CPU_ISA", "sve"));
#endif
}
