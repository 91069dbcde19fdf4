/* SPDX-License-Identifier: Apache-2.0 */
/* What holds between calls of the convolution operators: the three results of one problem are
 * adjoint to each other; a transposed convolution is a plain one's gradient; bits do not depend on
 * threads, runs, or the instruction set among those with fused multiply-add. */
#include <math.h>
#include <stdlib.h>

#include "tests/ops/suite.h"
#include "tests/support/rows_conv.h"

RIG_SUITE(conv_properties);

enum { PROBLEMS = 40 };

/* A forward problem without bias, FLOAT, sums of full precision. */
static struct conv_problem forward_problem(struct random *random)
{
    struct conv_problem p = conv_random(random, &rig_convolution, CASE_F32, false);
    for (int i = 0; i < CONV_TENSORS; i++)
        if (p.layout[i] == CASE_BROADCAST) p.layout[i] = CASE_CONTIGUOUS;
    p.mask[2] = false;
    p.math = 0;
    return p;
}

/* The same problem's gradients of input and weight; false: its output reaches beyond what a
 * gradient takes, or the padding lists what only the forward pass takes. */
static bool backward_problem(struct conv_problem *p)
{
    struct conv_problem settled = *p;
    conv_settle(&settled);
    if (memcmp(settled.small, p->small, sizeof p->small) != 0 || p->batch == 0) return false;
    if (p->format[CONV_INPUT] == CASE_NDHWC) return false;
    if (p->both_ends && p->axes == 1) return false;
    p->op = &rig_convolution_backward;
    p->mask[0] = p->mask[1] = true;
    return true;
}

/* What one run left of a tensor. */
struct kept {
    int64_t count;
    double *values;
    uint64_t *bits;
};

static struct kept kept[CONV_TENSORS];

static const struct rig_tensor *tensor_of(int tensor)
{
    static const struct rig_tensor none;
    const int operand = conv_operand(rig.problem.op, tensor);
    return operand < 0 ? &none : &rig.problem.tensor[operand];
}

static void load(const struct conv_problem *problem)
{
    const struct test_case test = conv_case(problem);
    rig_load_inputs(&rig, problem->op, &test);
}

static void run(void)
{
    cr_assert(rig_run(&rig, RIG_END), "%s", rig.text);
}

static void keep(void)
{
    for (int i = 0; i < CONV_TENSORS; i++) {
        const struct rig_tensor *tensor = tensor_of(i);
        const size_t count = (size_t)tensor->count;
        kept[i].count = tensor->count;
        kept[i].values = realloc(kept[i].values, (count + 1) * sizeof *kept[i].values);
        kept[i].bits = realloc(kept[i].bits, (count + 1) * sizeof *kept[i].bits);
        cr_assert(kept[i].values && kept[i].bits);
        if (count == 0) continue;
        memcpy(kept[i].values, tensor->values, count * sizeof *kept[i].values);
        memcpy(kept[i].bits, tensor->bits, count * sizeof *kept[i].bits);
    }
}

/* An input is what a tensor of the run that was kept held. */
static void set(int tensor, int from)
{
    cr_assert_eq(tensor_of(tensor)->count, kept[from].count);
    rig_set(&rig, conv_operand(rig.problem.op, tensor), kept[from].values);
}

static double inner_product(const struct rig_tensor *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < a->count; i++)
        sum += a->values[i] * b[i];
    return sum;
}

static double largest(const struct rig_tensor *tensor)
{
    double most = 0;
    for (int64_t i = 0; i < tensor->count; i++)
        most = fmax(most, fabs(tensor->values[i]));
    return most;
}

/* <dy, f(x, w)> == <dx(dy, w), x> == <dw(dy, x), w> */
Test(conv_properties, adjoint)
{
    struct random random = {random_test_seed() + 5};
    int64_t tried = 0;
    for (int64_t i = random_test_count(PROBLEMS) + 20; i > 0; i--) {
        struct conv_problem p = forward_problem(&random);
        load(&p);
        run();
        keep();
        if (!backward_problem(&p)) continue;
        tried++;
        load(&p);
        set(CONV_INPUT, CONV_INPUT);
        set(CONV_WEIGHT, CONV_WEIGHT);
        run();
        const struct rig_tensor *dy = tensor_of(CONV_GRAD_OUTPUT);
        const struct rig_tensor *x = tensor_of(CONV_INPUT), *w = tensor_of(CONV_WEIGHT);
        const double products[] = {inner_product(dy, kept[CONV_OUTPUT].values),
                                   inner_product(tensor_of(CONV_GRAD_INPUT), x->values),
                                   inner_product(tensor_of(CONV_GRAD_WEIGHT), w->values)};
        /* Each element is a sum of n terms, wrong by n * 2^-24 of their magnitudes at most; those
         * are products of two tensors' elements, and the third one's meet them here. */
        const double taps = (double)(p.kernel[0] * p.kernel[1] * p.kernel[2]);
        const double windows = (double)(p.small[0] * p.small[1] * p.small[2] * p.batch);
        const double all =
            taps * windows * (double)(p.groups * p.large_channels * p.small_channels);
        const double longest =
            fmax(taps * fmax((double)p.large_channels, (double)p.small_channels), windows);
        const double bound = all * (longest + 2) * 0x1p-24 * largest(dy) * largest(x) * largest(w);
        for (int k = 1; k < 3; k++)
            cr_assert(fabs(products[k] - products[0]) <= bound, "%g %g %g, bound %g", products[0],
                      products[1], products[2], bound);
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
        struct conv_problem p = forward_problem(&random);
        load(&p);
        run();
        keep();
        if (!backward_problem(&p)) continue;
        tried++;
        p.transposed = !p.transposed;
        p.layout[CONV_GRAD_OUTPUT] = p.layout[CONV_INPUT];
        load(&p);
        set(CONV_GRAD_OUTPUT, CONV_INPUT);
        set(CONV_WEIGHT, CONV_WEIGHT);
        run();
        const uint64_t *bits = tensor_of(CONV_GRAD_INPUT)->bits;
        for (int64_t j = 0; j < kept[CONV_OUTPUT].count; j++)
            cr_assert_eq(kept[CONV_OUTPUT].bits[j], bits[j]);
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
        struct conv_problem p = conv_random(&random, &rig_convolution_backward, dtype, i % 4 == 0);
        if (p.transposed || p.batch == 0) continue;
        p.mask[0] = true;
        load(&p);
        run();
        keep();
        p.op = &rig_aclnnext_conv_grad;
        p.both_ends = false; /* its pads are two arrays */
        load(&p);
        for (int t = CONV_GRAD_OUTPUT; t <= CONV_WEIGHT; t++)
            set(t, t);
        run();
        for (int t = CONV_GRAD_INPUT; t < CONV_TENSORS; t++)
            for (int64_t j = 0; p.mask[t - CONV_GRAD_INPUT] && j < kept[t].count; j++)
                cr_assert_eq(kept[t].bits[j], tensor_of(t)->bits[j], "%s: tensor %d, element %d",
                             p.op->word, t, (int)j);
        tried++;
    }
    cr_assert(tried >= 5);
}

/* ---- the same bits ---- */

/* Large enough for several threads. */
static const char *const large_gradients[] = {
    "convolution_backward f32 gradOutput=2x70x60x61:nchw input=2x40x60x61:nchw "
    "weight=70x40x3x3:nchw stride=1x1 padding=1x1 dilation=1x1 outputPadding=0x0 groups=1 "
    "outputMask=1x1x1 gradInput=2x40x60x61:nchw gradWeight=70x40x3x3:nchw gradBias=70 seed=5",
    "convolution_backward f32 gradOutput=2x80x60x61:nchw input=2x80x60x61:nchw "
    "weight=80x1x3x3:nchw stride=1x1 padding=1x1 dilation=1x1 outputPadding=0x0 groups=80 "
    "outputMask=1x1x1 gradInput=2x80x60x61:nchw gradWeight=80x1x3x3:nchw gradBias=80 seed=5",
};
static const char *const large_forward[] = {
    "convolution f32 input=2x40x60x61:nchw weight=70x40x3x3:nchw bias=70 stride=1x1 padding=1x1 "
    "dilation=1x1 groups=1 output=2x70x60x61:nchw seed=5",
    "convolution f32 input=2x80x60x61:nchw weight=80x1x3x3:nchw bias=80 stride=1x1 padding=1x1 "
    "dilation=1x1 groups=80 output=2x80x60x61:nchw seed=5",
};

static void check_bits(const struct rig_setting *setting)
{
    static char text[RIG_TEXT];
    struct rig_work work[ROWS_CONVOLUTIONS];
    for (int i = 0; i < ROWS_CONVOLUTIONS; i++) {
        work[i] = (struct rig_work){.op = rows_convolution[i], .random_cases = 20};
        if (work[i].op == &rig_convolution) work[i].lines = large_forward;
        if (work[i].op == &rig_convolution_backward) work[i].lines = large_gradients;
        if (work[i].lines) work[i].line_count = LENGTH(large_forward);
    }
    cr_assert(rig_same_bits(work, ROWS_CONVOLUTIONS, setting, text), "%s", text);
}

Test(conv_bits, threads_and_runs, .timeout = 600)
{
    static const char *const values[] = {"1", "1", "2", "7", NULL};
    check_bits(&(const struct rig_setting){"ACLNN_CPU_THREADS", values});
}

/* Levels with fused multiply-add agree; a level that the CPU lacks is the best one again. AArch64
 * has one such level. */
#if defined(__x86_64__)
Test(conv_bits, instruction_sets_with_fma, .timeout = 600)
{
    static const char *const values[] = {"avx2", NULL};
    if (getenv("ACLNN_TEST_NOT_BEST")) cr_skip("the run of the best level compares them");
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) cr_skip("no FMA");
    setenv("ACLNN_CPU_ISA", "avx512", 1);
    check_bits(&(const struct rig_setting){"ACLNN_CPU_ISA", values});
}
#endif
