/* SPDX-License-Identifier: Apache-2.0 */
/* aclnnAdaptiveAvgPool2d and 3d, their gradients, and aclnnGlobalAveragePool. */
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"

RIG_SUITE(adaptive_avg_pool);
TestSuite(adaptive_avg_pool_alone, .timeout = 900);

Test(adaptive_avg_pool, random_2d)
{
    check_floats(&rig_adaptive_avg_pool2d);
}

Test(adaptive_avg_pool, random_3d)
{
    check_floats(&rig_adaptive_avg_pool3d);
}

Test(adaptive_avg_pool, random_2d_backward)
{
    check_floats(&rig_adaptive_avg_pool2d_backward);
}

Test(adaptive_avg_pool, random_3d_backward)
{
    check_floats(&rig_adaptive_avg_pool3d_backward);
    check_dtype(&rig_adaptive_avg_pool3d_backward, CASE_F64);
}

Test(adaptive_avg_pool, random_global)
{
    check_floats(&rig_global_average_pool);
    check_dtype(&rig_global_average_pool, CASE_F64);
}

Test(adaptive_avg_pool, case_of_the_environment)
{
    const struct rig_operator *const ops[] = {
        &rig_adaptive_avg_pool2d, &rig_adaptive_avg_pool3d, &rig_adaptive_avg_pool2d_backward,
        &rig_adaptive_avg_pool3d_backward, &rig_global_average_pool};
    for (int i = 0; i < LENGTH(ops); i++)
        check_environment(ops[i]);
}

Test(adaptive_avg_pool, large_problems)
{
    static const char *const forward[] = {"adaptive_avg_pool2d f32 n2c64 56x57 o7x7 seed=1",
                                          "adaptive_avg_pool2d bf16 n2c200 15x14 o7x7 nhwc seed=2",
                                          "adaptive_avg_pool2d f32 n1c3 5x7 o200x301 seed=3",
                                          "adaptive_avg_pool2d f16 n1c2 700x1300 o13x1 seed=4",
                                          "adaptive_avg_pool2d f32 n100c70 7x7 o1x1 seed=5",
                                          "adaptive_avg_pool2d f32 n3c70 7x7 o1x1 nhwc seed=6"};
    static const char *const backward[] = {
        "adaptive_avg_pool2d_backward f32 n2c64 56x57 o7x7 seed=1",
        "adaptive_avg_pool2d_backward bf16 n2c200 15x14 o7x7 nhwc seed=2",
        "adaptive_avg_pool2d_backward f32 n1c3 5x7 o200x301 seed=3",
        "adaptive_avg_pool2d_backward f32 n100c70 7x7 o1x1 seed=5"};
    CHECK_LINES(&rig_adaptive_avg_pool2d, forward);
    CHECK_LINES(&rig_adaptive_avg_pool2d_backward, backward);
}

/* The bins of the operator contract, by their bounds. */
Test(adaptive_avg_pool, worked_numbers)
{
    static const struct {
        const char *line;
        int count;
        int64_t bins[5][2];
    } rows[] = {
        {"adaptive_avg_pool2d f32 c1 1x5 o1x3 seed=1", 3, {{0, 2}, {1, 4}, {3, 5}}},
        {"adaptive_avg_pool2d f32 c1 1x3 o1x5 seed=2", 5, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}},
        {"adaptive_avg_pool2d f32 c1 1x7 o1x4 seed=3", 4, {{0, 2}, {1, 4}, {3, 6}, {5, 7}}},
    };
    for (int r = 0; r < LENGTH(rows); r++) {
        check_line(&rig_adaptive_avg_pool2d, rows[r].line);
        for (int i = 0; i < rows[r].count; i++) {
            const int64_t low = rows[r].bins[i][0], high = rows[r].bins[i][1];
            double sum = 0;
            for (int64_t cell = low; cell < high; cell++)
                sum += rig.problem.tensor[0].values[cell];
            const double want = sum / (double)(high - low);
            cr_assert_float_eq(rig.problem.tensor[1].values[i], want, 1e-5, "%s: bin %d",
                               rows[r].line, i);
        }
    }
}

/* Outputs that divide the input are plain windows, and one output is the mean: the same bits as the
 * operators that say so. */
static void check_same(const struct rig_operator *a, const char *line_a,
                       const struct rig_operator *b, const char *line_b)
{
    static uint64_t bits[4096], input[8192];
    check_line(a, line_a);
    const int64_t count = rig.problem.tensor[1].count, inputs = rig.problem.tensor[0].count;
    cr_assert(count <= LENGTH(bits) && inputs <= LENGTH(input));
    memcpy(bits, rig.problem.tensor[1].bits, (size_t)count * sizeof bits[0]);
    memcpy(input, rig.problem.tensor[0].bits, (size_t)inputs * sizeof input[0]);
    check_line(b, line_b);
    cr_assert_eq(rig.problem.tensor[1].count, count);
    cr_assert(memcmp(input, rig.problem.tensor[0].bits, (size_t)inputs * sizeof input[0]) == 0);
    cr_assert(memcmp(bits, rig.problem.tensor[1].bits, (size_t)count * sizeof bits[0]) == 0,
              "%s and %s", line_a, line_b);
}

Test(adaptive_avg_pool, bins_that_are_windows)
{
    check_same(&rig_adaptive_avg_pool2d, "adaptive_avg_pool2d f32 n2c3 14x21 o7x7 seed=1",
               &rig_avg_pool2d, "avg_pool2d f32 n2c3 14x21 k2x3 seed=1");
    check_same(&rig_adaptive_avg_pool2d, "adaptive_avg_pool2d f32 n2c20 9x5 o1x1 seed=2",
               &rig_global_average_pool, "global_average_pool f32 n2c20 9x5 o1x1 seed=2");
    check_same(&rig_avg_pool2d, "avg_pool2d bf16 n2c20 9x5 k9x5 nhwc seed=3",
               &rig_global_average_pool, "global_average_pool bf16 n2c20 9x5 o1x1 seed=3");
}

static const char *const same[] = {"adaptive_avg_pool2d f32 n4c64 56x57 o7x7 seed=1",
                                   "adaptive_avg_pool2d bf16 n4c64 15x14 o7x7 nhwc seed=2"};
static const char *const same_backward[] = {
    "adaptive_avg_pool2d_backward f32 n4c64 56x57 o7x7 seed=1",
    "adaptive_avg_pool2d_backward bf16 n4c64 15x14 o7x7 nhwc seed=2"};
static const char *const same_global[] = {"global_average_pool f32 n64c64 7x7 o1x1 seed=1",
                                          "global_average_pool f64 n6c640 7x7 o1x1 nhwc seed=2"};

static void check_setting(const struct rig_setting *setting)
{
    check_same_bits(&rig_adaptive_avg_pool2d, setting, same, 2, 30);
    check_same_bits(&rig_adaptive_avg_pool2d_backward, setting, same_backward, 2, 30);
    check_same_bits(&rig_global_average_pool, setting, same_global, 2, 30);
}

Test(adaptive_avg_pool_alone, threads)
{
    check_setting(&rig_threads);
}

Test(adaptive_avg_pool_alone, isas)
{
    check_setting(&rig_isas);
}

Test(adaptive_avg_pool, repeatable)
{
    check_repeatable(&rig_adaptive_avg_pool2d_backward,
                     "adaptive_avg_pool2d_backward bf16 n2c3 9x8 o4x3 strided seed=3");
    check_repeatable(&rig_global_average_pool,
                     "global_average_pool f64 n2c3 9x8 o1x1 strided seed=3");
}

/* ---- refusals ---- */

Test(adaptive_avg_pool_alone, refusals_2d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"outputSize=null", NULLPTR, "outputSize", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"self.rank=5", INVALID, "self", "5"},
        {"out.rank=3", INVALID, "out", "3"},
        {"self.dims[2]=-8", INVALID, "self", "-8"},
        {"out.dims[1]=4", INVALID, "out", "4"},
        {"self.type=f64", INVALID, "self", "DOUBLE"},
        {"out.type=i32", INVALID, "out", "INT32"},
        {"out.type=f16", INVALID, "out", "FLOAT16"},
        {"out.format=nd", INVALID, "out", "ND"},
        {"self.format=nd out.format=nd", INVALID, "self", "NCHW"},
        {"outputSize.length=3", INVALID, "outputSize", "3"},
        {"outputSize[0]=-1", INVALID, "outputSize[0]", "-1"},
        {"outputSize[1]=6", INVALID, "outputSize[1]", "6"},
    };
    const char *sound = "adaptive_avg_pool2d f32 n2c3 8x10 o3x5";
    CHECK_REFUSALS(&rig_adaptive_avg_pool2d, sound, faults, NULL);
    static const char *const changes[] = {"outputSize[0]=0 out.dims[2]=0", "self.dims[2]=0",
                                          "self.dims[0]=0 out.dims[0]=0"};
    CHECK_ACCEPTED(&rig_adaptive_avg_pool2d, sound, changes);
}

Test(adaptive_avg_pool_alone, refusals_3d)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"outputSize=null", NULLPTR, "outputSize", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"self.rank=3", INVALID, "self", "3"},
        {"out.rank=4", INVALID, "out", "4"},
        {"self.dims[2]=0", INVALID, "self", "0"},
        {"out.dims[1]=4", INVALID, "out", "4"},
        {"out.dims[3]=0", INVALID, "out", "0"},
        {"self.type=f64", INVALID, "self", "DOUBLE"},
        {"out.type=f16", INVALID, "out", "FLOAT16"},
        {"out.format=nd", INVALID, "out", "ND"},
        {"self.format=nc1hwc0 out.format=nc1hwc0", INVALID, "self", "NC1HWC0"},
        {"self.tag=ndhwc out.tag=ndhwc", INVALID, "self", "NDHWC"},
        {"outputSize.length=2", INVALID, "outputSize", "2"},
        {"outputSize[0]=0", INVALID, "outputSize[0]", "0"},
        {"outputSize[1]=6", INVALID, "outputSize[1]", "6"},
    };
    const char *sound = "adaptive_avg_pool3d f32 n2c3 4x8x10 o2x3x5";
    CHECK_REFUSALS(&rig_adaptive_avg_pool3d, sound, faults, NULL);
    static const char *const changes[] = {"self.dims[0]=0 out.dims[0]=0"};
    CHECK_ACCEPTED(&rig_adaptive_avg_pool3d, sound, changes);
}

Test(adaptive_avg_pool_alone, refusals_2d_backward)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"gradOutput.rank=3", INVALID, "gradOutput", "3"},
        {"self.dims[2]=-8", INVALID, "self", "-8"},
        {"gradOutput.dims[2]=-3", INVALID, "gradOutput", "-3"},
        {"out.rank=5", INVALID, "out", "5"},
        {"out.dims[2]=9", INVALID, "out", "9"},
        {"gradOutput.dims[1]=4", INVALID, "gradOutput", "4"},
        {"gradOutput.type=f64", INVALID, "gradOutput", "DOUBLE"},
        {"self.type=f16", INVALID, "self", "FLOAT16"},
        {"out.type=bf16", INVALID, "out", "BF16"},
        {"gradOutput.format=nd", INVALID, "gradOutput", "ND"},
        {"gradOutput.tag=nhwc self.tag=nhwc", INVALID, "gradOutput", "NHWC"},
        {"out.format=nc1hwc0", INVALID, "out", "NC1HWC0"},
    };
    const char *sound = "adaptive_avg_pool2d_backward f32 n2c3 8x10 o3x5";
    CHECK_REFUSALS(&rig_adaptive_avg_pool2d_backward, sound, faults, NULL);
    static const char *const changes[] = {"gradOutput.dims[2]=0", "self.dims[2]=0 out.dims[2]=0",
                                          "gradOutput.format=nd self.format=nd"};
    CHECK_ACCEPTED(&rig_adaptive_avg_pool2d_backward, sound, changes);
}

Test(adaptive_avg_pool_alone, refusals_3d_backward)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"gradOutput=null", NULLPTR, "gradOutput", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"self.rank=3", INVALID, "self", "3"},
        {"gradOutput.rank=4", INVALID, "gradOutput", "4"},
        {"self.dims[2]=0", INVALID, "self", "0"},
        {"out.dims[2]=9", INVALID, "out", "9"},
        {"gradOutput.dims[1]=4", INVALID, "gradOutput", "4"},
        {"gradOutput.dims[3]=0", INVALID, "gradOutput", "0"},
        {"gradOutput.type=f64", INVALID, "gradOutput", "DOUBLE"},
        {"self.type=f16", INVALID, "self", "FLOAT16"},
        {"out.type=bf16", INVALID, "out", "BF16"},
        {"gradOutput.format=nd", INVALID, "gradOutput", "ND"},
        {"out.format=nd", INVALID, "out", "ND"},
        {"gradOutput.tag=ndhwc self.tag=ndhwc out.tag=ndhwc", INVALID, "gradOutput", "NDHWC"},
    };
    const char *sound = "adaptive_avg_pool3d_backward f32 n2c3 4x8x10 o2x3x5";
    CHECK_REFUSALS(&rig_adaptive_avg_pool3d_backward, sound, faults, NULL);
    static const char *const changes[] = {
        "gradOutput.dims[0]=0 self.dims[0]=0 out.dims[0]=0",
        "gradOutput.dims[2]=1 gradOutput.dims[3]=1 gradOutput.dims[4]=1 gradOutput.type=f64 "
        "self.type=f64 out.type=f64"};
    CHECK_ACCEPTED(&rig_adaptive_avg_pool3d_backward, sound, changes);
}

Test(adaptive_avg_pool_alone, refusals_global)
{
    static const struct rig_fault faults[] = {
        {"workspaceSize=null", NULLPTR, "workspaceSize", "NULL"},
        {"executor=null", NULLPTR, "executor", "NULL"},
        {"self=null", NULLPTR, "self", "NULL"},
        {"out=null", NULLPTR, "out", "NULL"},
        {"self.type=i32", INVALID, "self", "INT32"},
        {"out.type=i8", INVALID, "out", "INT8"},
        {"out.type=f16", INVALID, "out", "FLOAT16"},
        {"self.format=ncl", INVALID, "self", "NCL"},
        {"out.format=nd", INVALID, "out", "ND"},
        {"self.rank=3", INVALID, "self", "3"},
        {"out.rank=5", INVALID, "out", "5"},
        {"self.dims[0]=-2", INVALID, "self", "-2"},
        {"out.dims[3]=2", INVALID, "out", "2"},
        {"self.dims[2]=0", INVALID, "self", "0"},
    };
    const char *sound = "global_average_pool f32 n2c3 8x10 o1x1";
    CHECK_REFUSALS(&rig_global_average_pool, sound, faults, NULL);
    static const char *const changes[] = {"self.dims[1]=0 out.dims[1]=0",
                                          "self.type=f64 out.type=f64"};
    CHECK_ACCEPTED(&rig_global_average_pool, sound, changes);
}
