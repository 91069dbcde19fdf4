/* SPDX-License-Identifier: Apache-2.0 */
/* What holds between calls of the convolution operators: the three results of one problem are
 * adjoint to each other; a transposed convolution is a plain one's gradient; bits do not depend on
 * threads, runs, or the instruction set among those with fused multiply-add. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/conv_rig.h"

static struct conv_rig first, second;

static void begin(void)
{
    conv_rig_begin(&first);
    second.stream = first.stream;
}

static void end(void)
{
    conv_rig_end(&first);
}

TestSuite(conv_properties, .init = begin, .fini = end, .timeout = 600);

enum { PROBLEMS = 40 };

/* A forward problem without bias, FLOAT, sums of full precision. */
static struct conv_case forward_case(struct random *random)
{
    struct conv_case test = conv_random_case(random, CONV_FORWARD, CASE_F32, false);
    for (int i = 0; i < CONV_TENSORS; i++)
        if (test.layout[i] == CASE_BROADCAST) test.layout[i] = CASE_CONTIGUOUS;
    test.mask[2] = false;
    test.math = 0;
    return test;
}

/* The same problem's gradients of input and weight; false: its output reaches beyond what a
 * gradient takes, or the padding lists what only the forward pass takes. */
static bool backward_case(struct conv_case *test)
{
    for (int i = 0; i < ORACLE_CONV_AXES; i++) {
        const struct oracle_conv *c = &test->conv;
        const int64_t room =
            c->large[i] + c->pad[i] + test->pad_end[i] - (c->kernel[i] - 1) * c->dilation[i] - 1;
        if (room / c->stride[i] + 1 != c->small[i]) return false;
    }
    if (test->format[CONV_INPUT] == ACL_FORMAT_NDHWC) return false;
    if (test->both_ends && test->axes == 1) return false;
    test->op = CONV_BACKWARD;
    test->mask[0] = test->mask[1] = true;
    return true;
}

struct product {
    double sum, magnitude;
};

static struct product inner_product(const double *a, const double *b, int64_t count)
{
    struct product p = {0};
    for (int64_t i = 0; i < count; i++) {
        p.sum += a[i] * b[i];
        p.magnitude += fabs(a[i] * b[i]);
    }
    return p;
}

static int64_t elements(const struct conv_rig *rig, int tensor)
{
    return operand_elements(&rig->operand[tensor]);
}

/* <dy, f(x, w)> == <dx(dy, w), x> == <dw(dy, x), w> */
Test(conv_properties, adjoint)
{
    struct random random = {random_test_seed() + 5};
    int64_t tried = 0;
    for (int64_t i = random_test_count(PROBLEMS) + 20; i > 0; i--) {
        struct conv_case test = forward_case(&random);
        conv_rig_load(&first, &test);
        cr_assert(conv_rig_run(&first, GUARD_END), "%s", first.text);
        if (!backward_case(&test)) continue;
        tried++;
        conv_rig_load(&second, &test); /* the seed makes its own inputs */
        for (int t = CONV_INPUT; t <= CONV_WEIGHT; t++)
            for (int64_t j = 0; j < elements(&first, t); j++)
                second.values[t][j] = first.values[t][j];
        cr_assert(conv_rig_run(&second, GUARD_END), "%s", second.text);
        const double *dy = second.values[CONV_GRAD_OUTPUT];
        const struct product products[] = {
            inner_product(dy, first.values[CONV_OUTPUT], elements(&first, CONV_OUTPUT)),
            inner_product(second.values[CONV_GRAD_INPUT], second.values[CONV_INPUT],
                          elements(&second, CONV_INPUT)),
            inner_product(second.values[CONV_GRAD_WEIGHT], second.values[CONV_WEIGHT],
                          elements(&second, CONV_WEIGHT)),
        };
        /* Each element is a sum of n terms, wrong by n * 2^-24 of their magnitudes at most; those
         * magnitudes are at most 1 each, and so are the factors that meet it here. */
        const struct oracle_conv *c = &test.conv;
        const double taps = (double)(c->kernel[0] * c->kernel[1] * c->kernel[2]);
        const double windows = (double)(c->small[0] * c->small[1] * c->small[2] * c->batch);
        const double all =
            taps * windows * (double)(c->groups * c->large_channels * c->small_channels);
        const double longest = fmax(
            taps * (double)fmax((double)c->large_channels, (double)c->small_channels), windows);
        const double bound = all * (longest + 2) * 0x1p-24;
        for (int p = 1; p < 3; p++)
            cr_assert(fabs(products[p].sum - products[0].sum) <= bound, "%g %g %g, bound %g",
                      products[0].sum, products[1].sum, products[2].sum, bound);
    }
    cr_assert(tried >= 10);
}

/* The gradient of input of a plain convolution is the transposed convolution of gradOutput, and
 * that one's gradient of input is the plain convolution: the same bits. */
Test(conv_properties, transposed_is_the_gradient)
{
    struct random random = {random_test_seed() + 6};
    int64_t tried = 0;
    for (int64_t i = random_test_count(PROBLEMS) + 20; i > 0; i--) {
        struct conv_case test = forward_case(&random);
        conv_rig_load(&first, &test);
        cr_assert(conv_rig_run(&first, GUARD_END), "%s", first.text);
        if (!backward_case(&test)) continue;
        tried++;
        test.transposed = !test.transposed;
        test.layout[CONV_GRAD_OUTPUT] = test.layout[CONV_INPUT];
        conv_rig_load(&second, &test);
        cr_assert_eq(elements(&first, CONV_INPUT), elements(&second, CONV_GRAD_OUTPUT));
        for (int64_t j = 0; j < elements(&first, CONV_INPUT); j++)
            second.values[CONV_GRAD_OUTPUT][j] = first.values[CONV_INPUT][j];
        for (int64_t j = 0; j < elements(&first, CONV_WEIGHT); j++)
            second.values[CONV_WEIGHT][j] = first.values[CONV_WEIGHT][j];
        cr_assert(conv_rig_run(&second, GUARD_END), "%s", second.text);
        for (int64_t j = 0; j < elements(&first, CONV_OUTPUT); j++)
            cr_assert_eq(first.bits[CONV_OUTPUT][j], second.bits[CONV_GRAD_INPUT][j]);
    }
    cr_assert(tried >= 10);
}

/* aclnnConvolutionBackward is aclnnextConvGrad with pads in other words. */
Test(conv_properties, twins_have_the_same_bits)
{
    struct random random = {random_test_seed() + 7};
    int64_t tried = 0;
    for (int64_t i = random_test_count(PROBLEMS) + 20; i > 0; i--) {
        const enum case_dtype dtype = (enum case_dtype)(i % CASE_FLOATS);
        struct conv_case test = conv_random_case(&random, CONV_BACKWARD, dtype, i % 4 == 0);
        if (test.transposed || test.conv.batch == 0) continue;
        test.mask[0] = true;
        conv_rig_load(&first, &test);
        cr_assert(conv_rig_run(&first, GUARD_END), "%s", first.text);
        test.op = CONV_GRAD;
        test.both_ends = false; /* its pads are two arrays */
        test.auto_pad = 0;
        conv_rig_load(&second, &test); /* the seed makes the same inputs */
        cr_assert(conv_rig_run(&second, GUARD_END), "%s", second.text);
        for (int o = CONV_GRAD_INPUT; o < CONV_TENSORS; o++)
            for (int64_t j = 0; conv_rig_writes(&first, o) && j < elements(&first, o); j++)
                cr_assert_eq(first.bits[o][j], second.bits[o][j], "tensor %d, element %d", o,
                             (int)j);
        tried++;
    }
    cr_assert(tried >= 5);
}

/* ---- the same bits ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

/* Large enough for several threads. */
static struct conv_case large_case(enum conv_operator op, bool is_depthwise)
{
    struct conv_case test = {.op = op, .axes = 2, .mask = {true, true, true}, .seed = 5};
    const int64_t one = is_depthwise ? 1 : 0;
    test.conv = (struct oracle_conv){.batch = 2,
                                     .groups = is_depthwise ? 80 : 1,
                                     .large_channels = is_depthwise ? one : 40,
                                     .small_channels = is_depthwise ? one : 70,
                                     .large = {1, 60, 61},
                                     .small = {1, 60, 61},
                                     .kernel = {1, 3, 3},
                                     .stride = {1, 1, 1},
                                     .dilation = {1, 1, 1},
                                     .pad = {0, 1, 1}};
    test.pad_end[1] = test.pad_end[2] = 1;
    for (int i = 0; i < CONV_TENSORS; i++)
        test.format[i] = i == CONV_GRAD_BIAS ? ACL_FORMAT_ND : ACL_FORMAT_NCHW;
    return test;
}

static void hash_case(uint64_t *hash, const struct conv_case *test)
{
    conv_rig_load(&first, test);
    if (!conv_rig_run(&first, GUARD_END)) abort();
    for (int o = 0; o < CONV_TENSORS; o++)
        for (int64_t j = 0; conv_rig_writes(&first, o) && j < elements(&first, o); j++)
            *hash = mix(*hash, first.bits[o][j]);
}

/* Of all outputs of some problems of every operator. */
static uint64_t outputs_hash(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    struct random random = {77};
    conv_rig_begin(&first);
    for (int op = 0; op < CONV_OPERATORS; op++)
        for (int i = 0; i < 20; i++) {
            const struct conv_case test =
                conv_random_case(&random, (enum conv_operator)op, CASE_F32, i % 2 == 1);
            hash_case(&hash, &test);
        }
    for (int is_depthwise = 0; is_depthwise < 2; is_depthwise++) {
        struct conv_case test = large_case(CONV_BACKWARD, is_depthwise);
        hash_case(&hash, &test);
        test.op = CONV_FORWARD;
        hash_case(&hash, &test);
    }
    conv_rig_end(&first);
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

Test(conv_bits, threads_and_runs, .timeout = 600)
{
    const uint64_t one = hash_with("ACLNN_CPU_THREADS", "1");
    cr_assert_eq(one, hash_with("ACLNN_CPU_THREADS", "1"));
    cr_assert_eq(one, hash_with("ACLNN_CPU_THREADS", "2"));
    cr_assert_eq(one, hash_with("ACLNN_CPU_THREADS", "7"));
}

/* Levels with fused multiply-add agree; a level that the CPU lacks is the best one again. AArch64
 * has one such level. */
#if defined(__x86_64__)
Test(conv_bits, instruction_sets_with_fma, .timeout = 600)
{
    if (getenv("ACLNN_TEST_NOT_BEST")) cr_skip("the run of the best level compares them");
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) cr_skip("no FMA");
    cr_assert_eq(hash_with("ACLNN_CPU_ISA", "avx2"), hash_with("ACLNN_CPU_ISA", "avx512"));
}
#endif
