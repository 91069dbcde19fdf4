/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of average pooling against its definition, element by element. */
#include <math.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"

RIG_SUITE(avg_pool_backward_values);

Test(avg_pool_backward_values, cases_of_the_tree)
{
    enum { LARGEST = 750 }; /* elements; the larger ones are the bench's */
    cr_assert(
        rig_check_file(&rig, &rig_avg_pool2d_backward, "avg_pool2d_backward.txt", LARGEST, 100),
        "%s", rig.text);
}

/* The line that a failing test printed, alone: ACLNN_TEST_CASE='avg_pool2d_backward f32 ...'. */
Test(avg_pool_backward_values, case_of_the_environment)
{
    check_environment(&rig_avg_pool2d_backward);
}

/* One large problem of each path: more elements than one slice, an output beyond the caches. */
Test(avg_pool_backward_values, large_problems)
{
    static const char *const lines[] = {
        "avg_pool2d_backward f32 n2c31 113x111 k3 s2 p1 ceil exclude_pad seed=1",
        "avg_pool2d_backward bf16 n3c67 57x55 k3 s1 p1 nhwc exclude_pad seed=2",
        "avg_pool2d_backward f16 n1c3 301x999 k2x5 s2x3 p1x2 seed=3",
        "avg_pool2d_backward f32 n1c1 1x300000 k1x8 s1x8 seed=4",
        "avg_pool2d_backward f32 n1c1 300000x1 k3x1 s2x1 p1x0 ceil seed=5",
        "avg_pool2d_backward bf16 n1c2 64x4099 k2 s2 dy=nhwc dx=strided seed=6",
        "avg_pool2d_backward f32 n1c2 700x701 k1 s1 p0 seed=7",
        "avg_pool2d_backward f32 n1c5 160x160 k64 s32 p32 seed=8",
        "avg_pool2d_backward f16 n1c2 97x101 k97x101 seed=9",
        "avg_pool2d_backward f32 n1c2051 7x7 k7 nhwc seed=10",
        "avg_pool2d_backward bf16 n65c130 2x2 k2 s1 p1 seed=11",
        "avg_pool2d_backward f32 n70000c1 2x3 k2 s1 seed=12",
    };
    CHECK_LINES(&rig_avg_pool2d_backward, lines);
}

/* ---- random problems ---- */

static void check_random(enum case_dtype dtype)
{
    enum { CASES_OF_TYPE = 600 };
    cr_assert(rig_check_random(&rig, &rig_avg_pool2d_backward, dtype, CASES_OF_TYPE), "%s",
              rig.text);
}

Test(avg_pool_backward_values, random_f32)
{
    check_random(CASE_F32);
}

Test(avg_pool_backward_values, random_f16)
{
    check_random(CASE_F16);
}

Test(avg_pool_backward_values, random_bf16)
{
    check_random(CASE_BF16);
}

/* ---- worked numbers ---- */

/* The gradient of ones, or of one window only, written out by hand. */
static void check_numbers(const char *line, const double *dy, const double *want)
{
    struct test_case test;
    char error[256];
    const struct rig_tensor *dx = &rig.problem.tensor[2];
    cr_assert(case_parse(line, &test, error, sizeof error), "%s: %s", line, error);
    rig_load(&rig, &rig_avg_pool2d_backward, &test);
    rig_set(&rig, 0, dy);
    cr_assert(rig_run(&rig, RIG_END), "%s", rig.text);
    for (int64_t i = 0; i < dx->count; i++)
        cr_assert_float_eq(dx->values[i], want[i], 1e-6 * (1 + fabs(want[i])),
                           "%s [%d]: %g, not %g", line, (int)i, dx->values[i], want[i]);
}

Test(avg_pool_backward_values, worked_numbers)
{
    /* Divisors 3 3 3 3 2 of I=8 k3 s2 p1 ceil, each window alone visible where it does not overlap.
     */
    check_numbers("avg_pool2d_backward f32 n1c1 1x8 k1x3 s1x2 p0x1 ceil",
                  (double[]){3, 30, 300, 3000, 20000},
                  (double[]){1, 11, 10, 110, 100, 1100, 1000, 11000});
    check_numbers("avg_pool2d_backward f32 n1c1 1x8 k1x3 s1x2 p0x1", (double[]){3, 30, 300, 3000},
                  (double[]){1, 11, 10, 110, 100, 1100, 1000, 1000});
    /* 2 3 3 3 1 when padding is not counted. */
    check_numbers("avg_pool2d_backward f32 n1c1 1x8 k1x3 s1x2 p0x1 ceil exclude_pad",
                  (double[]){2, 30, 300, 3000, 10000},
                  (double[]){1, 11, 10, 110, 100, 1100, 1000, 11000});
    /* 2 2 1 of I=5 k2 s2 ceil. */
    check_numbers("avg_pool2d_backward f32 c1 5x1 k2x1 s2x1 ceil", (double[]){2, 20, 100},
                  (double[]){1, 1, 10, 10, 100});
    /* I=4 k2 s3 p1 ceil has two windows: [-1,1) and [2,4). */
    check_numbers("avg_pool2d_backward f32 c1 4x1 k2x1 s3x1 p1x0 ceil", (double[]){2, 20},
                  (double[]){1, 0, 10, 10});
    /* I=7 k3 s2 p1: four windows with and without ceil. */
    check_numbers("avg_pool2d_backward f32 c1 7x1 k3x1 s2x1 p1x0 ceil",
                  (double[]){3, 30, 300, 3000}, (double[]){1, 11, 10, 110, 100, 1100, 1000});
    /* The device's shortcut for whole planes ignores padding; the window rule does not. */
    check_numbers("avg_pool2d_backward f32 c1 2x2 k2 s2 p1", (double[]){4, 8, 12, 16},
                  (double[]){1, 2, 3, 4});
    /* Any divisor, every window the same. */
    check_numbers("avg_pool2d_backward f32 c1 2x3 k2 s1 divisor=-2", (double[]){2, 4},
                  (double[]){-1, -3, -2, -1, -3, -2});
}
