/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAvgPool2d and aclnnAvgPool3d against their definition, and what they refuse. */
#include <stdlib.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"

RIG_SUITE(avg_pool_forward);
TestSuite(avg_pool_forward_alone, .timeout = 900);

Test(avg_pool_forward, random_2d)
{
    check_floats(&rig_avg_pool2d);
}

Test(avg_pool_forward, random_3d)
{
    check_floats(&rig_avg_pool3d);
}

Test(avg_pool_forward, case_of_the_environment)
{
    check_environment(&rig_avg_pool2d);
    check_environment(&rig_avg_pool3d);
}

Test(avg_pool_forward, large_problems)
{
    static const char *const flat[] = {
        "avg_pool2d f32 n2c31 113x111 k3 s2 p1 ceil exclude_pad seed=1",
        "avg_pool2d bf16 n3c67 57x55 k3 s1 p1 nhwc exclude_pad seed=2",
        "avg_pool2d f16 n1c3 301x999 k2x5 s2x3 p1x2 seed=3",
        "avg_pool2d f32 n1c1 1x300000 k1x8 s1x8 seed=4",
        "avg_pool2d f32 n1c1 300000x1 k3x1 s2x1 p1x0 ceil seed=5",
        "avg_pool2d bf16 n1c2 64x4099 k2 s2 x=nhwc y=strided seed=6",
        "avg_pool2d f32 n1c2 700x701 k1 s1 p0 seed=7",
        "avg_pool2d f32 n1c5 160x160 k64 s32 p32 seed=8",
        "avg_pool2d f16 n1c2 97x101 k97x101 seed=9",
        "avg_pool2d f32 n1c2051 7x7 k7 nhwc seed=10",
        "avg_pool2d bf16 n65c130 2x2 k2 s1 p1 seed=11",
        "avg_pool2d f32 n70000c1 2x3 k2 s1 seed=12",
        "avg_pool2d f32 n1c3000 9x9 k3 s1 p1 nhwc seed=13",
        "avg_pool2d f32 n1c1 1x20000 k1x9001 s1x700 seed=14",
        "avg_pool2d bf16 n1c40 3x900 k2x701 s1x50 nhwc seed=15",
    };
    static const char *const deep[] = {
        "avg_pool3d f32 n1c3 30x41x33 k3 s1 p1 seed=1",
        "avg_pool3d bf16 n2c65 5x16x17 k2 s2 nhwc seed=2",
        "avg_pool3d f16 n1c17 6x25x20 k3x5x4 s2x1x3 p1x2x2 ceil exclude_pad nhwc seed=3",
        "avg_pool3d f32 n2c2 7x300x9 k2x250x3 s1x1x2 p1x100x1 seed=4",
        "avg_pool3d f32 n1c70 12x7x7 k12x7x7 nhwc seed=5",
    };
    CHECK_LINES(&rig_avg_pool2d, flat);
    CHECK_LINES(&rig_avg_pool3d, deep);
}

/* The worked numbers of the operator contract: sizes, and divisors by what ones give. */
static void check_divisors(const char *line, const double *divisors, int count)
{
    struct test_case test;
    char error[256];
    cr_assert(case_parse(line, &test, error, sizeof error), "%s", error);
    rig_load(&rig, &rig_avg_pool2d, &test);
    cr_assert_eq(rig.problem.tensor[1].count, count, "%s", line);
    cr_assert(rig_check(&rig, &rig_avg_pool2d, &test), "%s", rig.text);
    const struct oracle_problem p = oracle_problem_of(&test);
    for (int w = 0; w < count; w++) {
        const struct oracle_box box = oracle_box_of(&p, w);
        double sum = 0;
        for (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
            sum += rig.problem.tensor[0].values[tap.offset];
        const double want = sum / divisors[w], got = rig.problem.tensor[1].values[w];
        cr_assert_float_eq(got, want, 1e-5 * (1 + (want < 0 ? -want : want)), "%s: output %d", line,
                           w);
    }
}

Test(avg_pool_forward, worked_numbers)
{
    check_divisors("avg_pool2d f32 c1 1x8 k1x3 s1x2 p0x1", (const double[]){3, 3, 3, 3}, 4);
    check_divisors("avg_pool2d f32 c1 1x8 k1x3 s1x2 p0x1 ceil", (const double[]){3, 3, 3, 3, 2}, 5);
    check_divisors("avg_pool2d f32 c1 1x8 k1x3 s1x2 p0x1 ceil exclude_pad",
                   (const double[]){2, 3, 3, 3, 1}, 5);
    check_divisors("avg_pool2d f32 c1 1x7 k1x3 s1x2 p0x1", (const double[]){3, 3, 3, 3}, 4);
    check_divisors("avg_pool2d f32 c1 1x7 k1x3 s1x2 p0x1 ceil", (const double[]){3, 3, 3, 3}, 4);
    check_divisors("avg_pool2d f32 c1 1x4 k1x2 s1x3 p0x1 ceil", (const double[]){2, 2}, 2);
    check_divisors("avg_pool2d f32 c1 1x5 k1x2 s1x2 ceil", (const double[]){2, 2, 1}, 3);
}

/* A window of nothing but -0 is +0, as is the sum that begins with 0. */
static void check_minus_zeros(const struct rig_operator *op, struct test_case *test)
{
    char line[CASE_LINE];
    if (test->divisor < 0) test->divisor = 0;
    rig_load(&rig, op, test);
    const struct rig_tensor *x = &rig.problem.tensor[0], *y = &rig.problem.tensor[1];
    double *zeros = malloc(((size_t)x->count + 1) * sizeof *zeros);
    for (int64_t i = 0; i < x->count; i++)
        zeros[i] = -0.0;
    rig_set(&rig, 0, zeros);
    free(zeros);
    cr_assert(rig_run(&rig, RIG_END), "%s", rig.text);
    for (int64_t i = 0; x->count > 0 && i < y->count; i++)
        cr_assert_eq(y->bits[i], 0, "%s: output %d is %g", case_print(test, line), (int)i,
                     y->values[i]);
}

Test(avg_pool_forward, minus_zeros_give_zero)
{
    static const char *const lines[] = {
        "avg_pool2d f32 n1c3 14x14 k2 s2",
        "avg_pool2d f32 n2c3 35x35 k3 s1 p1",
        "avg_pool2d bf16 n2c3 35x35 k3 s1 p1 exclude_pad",
        "avg_pool2d f16 n2c3 56x57 k3 s2 p1 ceil",
        "avg_pool2d f32 n2c64 9x10 k3 s2 p1 nhwc",
        "avg_pool2d bf16 n2c64 9x10 k3 s1 p1 nhwc",
        "avg_pool2d f32 n2c65 7x7 k7",
        "avg_pool2d f16 n2c65 7x7 k7 nhwc",
        "avg_pool2d f32 n2c3 9x9 k1",
        "avg_pool2d bf16 n2c33 9x9 k1 nhwc",
    };
    struct random random = {random_test_seed() + 7};
    struct test_case test;
    char error[256];
    for (int i = 0; i < LENGTH(lines); i++) {
        cr_assert(case_parse(lines[i], &test, error, sizeof error), "%s", error);
        check_minus_zeros(&rig_avg_pool2d, &test);
    }
    for (int64_t i = 0, count = random_test_count(CASES); i < count; i++) {
        test = rig_random_case(&rig_avg_pool2d, &random, (enum case_dtype)(i % CASE_FLOATS));
        check_minus_zeros(&rig_avg_pool2d, &test);
        test = rig_random_case(&rig_avg_pool3d, &random, (enum case_dtype)(i % CASE_FLOATS));
        check_minus_zeros(&rig_avg_pool3d, &test);
    }
}

Test(avg_pool_forward, repeatable)
{
    check_repeatable(&rig_avg_pool2d, "avg_pool2d bf16 n2c3 9x8 k3 s2 p1 strided seed=3");
    check_repeatable(&rig_avg_pool3d, "avg_pool3d f32 n2c3 9x8x5 k3 s2 p1 strided seed=3");
}

static const char *const same[] = {"avg_pool2d f32 n4c64 56x57 k3 s1 p1 seed=1",
                                   "avg_pool2d bf16 n2c96 40x40 k3 s2 p1 nhwc seed=2",
                                   "avg_pool2d f16 n3c9 33x65 k5x4 s2x3 p2 strided seed=3",
                                   "avg_pool2d f32 n64c128 7x7 k7 seed=4",
                                   "avg_pool2d f32 n8c130 7x7 k7 nhwc seed=5"};
static const char *const same_deep[] = {"avg_pool3d f32 n2c16 12x20x21 k3 s1 p1 seed=1",
                                        "avg_pool3d bf16 n2c32 9x20x21 k3 s2 p1 nhwc seed=2"};

Test(avg_pool_forward_alone, threads)
{
    check_same_bits(&rig_avg_pool2d, &rig_threads, same, 5, 30);
    check_same_bits(&rig_avg_pool3d, &rig_threads, same_deep, 2, 30);
}

Test(avg_pool_forward_alone, isas)
{
    check_same_bits(&rig_avg_pool2d, &rig_isas, same, 5, 30);
    check_same_bits(&rig_avg_pool3d, &rig_isas, same_deep, 2, 30);
}

/* ---- refusals ---- */

/* Which format is right depends on the rank. */
static bool format_of_rank(const struct rig_fault *earlier, const struct rig_fault *later)
{
    return strcmp(earlier->change, "self.format=ncl") == 0 &&
           strcmp(later->change, "self.rank=5") == 0;
}

Test(avg_pool_forward_alone, refusals_2d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
        {"strides=null", NULLPTR, "strides", "NULL"},
        {"paddings=null", NULLPTR, "paddings", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"self.type=f64", INVALID, "self", "DOUBLE"},
        {"out.type=i32", INVALID, "out", "INT32"},
        {"out.type=f16", INVALID, "out", "FLOAT16"},
        {"self.format=nd", INVALID, "self", "ND"},
        {"out.format=nc1hwc0", INVALID, "out", "NC1HWC0"},
        {"self.format=ncl", INVALID, "self", "NCHW"},
        {"self.dims[1]=-3", INVALID, "self", "-3"},
        {"kernelSize[1]=0", INVALID, "kernelSize[1]", "is 0"},
        {"strides[0]=-1", INVALID, "strides[0]", "-1"},
        {"paddings[1]=-1", INVALID, "paddings[1]", "-1"},
        {"self.rank=5", INVALID, "self", "5"},
        {"self.dims[2]=0", INVALID, "self", "0"},
        {"kernelSize.length=0", INVALID, "kernelSize", "0"},
        {"paddings.length=3", INVALID, "paddings", "3"},
        {"strides.length=3 strides[2]=1", INVALID, "strides", "3"},
        {"paddings[0]=2", INVALID, "paddings[0]", "2"},
        {"out.dims[2]=3", INVALID, "out", "(2, 3, 3, 5)"},
        {"cubeMathType=5", INVALID, "cubeMathType", "5"},
    };
    static const char sound[] = "avg_pool2d f32 n2c3 8x10 k3x3 s2x2 p1x1";
    CHECK_REFUSALS(&rig_avg_pool2d, sound, faults, format_of_rank);
    static const char *const changes[] = {"cubeMathType=4", "kernelSize.length=1",
                                          "self.dims[0]=0 out.dims[0]=0", "divisorOverride=min",
                                          "self.storage=1 self.strides[0]=0"};
    CHECK_ACCEPTED(&rig_avg_pool2d, sound, changes);
}

Test(avg_pool_forward_alone, refusals_3d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"kernelSize=null", NULLPTR, "kernelSize", "NULL"},
        {"stride=null", NULLPTR, "stride", "NULL"},
        {"padding=null", NULLPTR, "padding", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"self.type=i8", INVALID, "self", "INT8"},
        {"out.type=f16", INVALID, "out", "FLOAT16"},
        {"out.format=nd", INVALID, "out", "ND"},
        {"self.format=nc1hwc0 out.format=nc1hwc0", INVALID, "self", "NC1HWC0"},
        {"self.tag=ndhwc out.tag=ndhwc", INVALID, "self", "NDHWC"},
        {"self.rank=6", INVALID, "self", "6"},
        {"out.rank=4", INVALID, "out", "4"},
        {"kernelSize.length=2", INVALID, "kernelSize", "2"},
        {"padding.length=2", INVALID, "padding", "2"},
        {"stride.length=2", INVALID, "stride", "2"},
        {"kernelSize[0]=7", INVALID, "kernelSize[0]", "7"},
        {"stride[1]=0", INVALID, "stride[1]", "is 0"},
        {"padding[2]=2", INVALID, "padding[2]", "2"},
        {"out.dims[4]=3", INVALID, "out", "3"},
    };
    static const char sound[] = "avg_pool3d f32 n2c3 6x8x10 k3x3x3 s2x2x2 p1x1x1";
    CHECK_REFUSALS(&rig_avg_pool3d, sound, faults, NULL);
    static const char *const changes[] = {
        "stride.length=0 out.dims[2]=2 out.dims[3]=3 out.dims[4]=4", "self.dims[1]=0 out.dims[1]=0",
        "self.dims[0]=0 out.dims[0]=0", "self.format=nd out.format=nd"};
    CHECK_ACCEPTED(&rig_avg_pool3d, sound, changes);
}
