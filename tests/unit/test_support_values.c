/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of the tests that hold and compare values: operands, tolerances, guard pages. */
#include <criterion/criterion.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cases.h"
#include "tests/support/compare.h"
#include "tests/support/guard.h"
#include "tests/support/operand.h"
#include "tests/support/oracle.h"
#include "tests/unit/case_line.h"
#include "tests/unit/meta.h"

/* ---- operands ---- */

static void expect_sizes(const char *line, enum case_tensor tensor, const int64_t *dims, int rank,
                         const int64_t *strides)
{
    struct test_case test = parse(line);
    struct operand operand = operand_of(&test, tensor);
    int64_t *got, *steps;
    uint64_t count;
    operand_open(&operand);
    cr_assert_eq(aclGetViewShape(operand.tensor, &got, &count), 0);
    cr_assert_eq(count, (uint64_t)rank, "%s", line);
    cr_assert_eq(aclGetViewStrides(operand.tensor, &steps, &count), 0);
    for (int i = 0; i < rank; i++) {
        cr_assert_eq(got[i], dims[i], "%s: dimension %d", line, i);
        cr_assert_eq(steps[i], strides[i], "%s: stride %d", line, i);
    }
    delete_array(got);
    delete_array(steps);
    operand_close(&operand);
}

Test(operand, formats_order_the_sizes)
{
    expect_sizes("a f32 n2c3 4x5 k2", CASE_X, (int64_t[]){2, 3, 4, 5}, 4,
                 (int64_t[]){60, 20, 5, 1});
    expect_sizes("a f32 n2c3 4x5 k2 x=nhwc", CASE_X, (int64_t[]){2, 3, 4, 5}, 4,
                 (int64_t[]){60, 1, 15, 3});
    expect_sizes("a f32 n2c3 4x5 k2 fmt=nhwc", CASE_X, (int64_t[]){2, 4, 5, 3}, 4,
                 (int64_t[]){60, 15, 3, 1});
    expect_sizes("a f32 c3 4x5 k2 fmt=nhwc", CASE_DY, (int64_t[]){2, 2, 3}, 3,
                 (int64_t[]){6, 3, 1});
    expect_sizes("a f32 n2c3 2x4x5 k2 fmt=ndhwc", CASE_I, (int64_t[]){2, 1, 2, 2, 3}, 5,
                 (int64_t[]){12, 12, 6, 3, 1});
}

Test(operand, elements_of_every_type_come_back)
{
    struct test_case test = parse("a f32 n2c3 4x5 k2 strided offset=3 seed=5 data=special");
    struct random random = {9};
    for (int dtype = 0; dtype < CASE_DTYPES; dtype++) {
        struct operand operand = operand_with(&test, CASE_X, (enum case_dtype)dtype, test.x_layout);
        uint64_t bits[120], again[120];
        double values[120];
        operand.data = malloc(operand_bytes(&operand));
        cr_assert(operand.data != NULL);
        operand_poison(&operand, 0xFF);
        operand_randomize(&operand, test.data, &random);
        cr_assert(operand_gaps_hold(&operand, 0xFF));
        operand_read_raw(&operand, bits);
        operand_read(&operand, values);
        operand_poison(&operand, 0);
        operand_write_bits(&operand, bits);
        operand_read_raw(&operand, again);
        cr_assert_arr_eq(again, bits, sizeof bits);
        for (int i = 0; i < 120; i++)
            cr_assert(values[i] == oracle_from_bits(operand.dtype, bits[i]) || isnan(values[i]));
        free(operand.data);
    }
}

/* ---- compare ---- */

static bool accepts(enum case_dtype dtype, double value, int64_t terms, double got)
{
    const struct compare_rule rule = {dtype, 4, 9};
    struct oracle_sum sum = {value, isfinite(value) ? fabs(value) : 0, terms};
    double bound;
    return compare_sum(&rule, &sum, got, &bound);
}

Test(compare, knows_near_from_far)
{
    cr_assert(accepts(CASE_F32, 1, 1, 1 + 0x1p-23));
    cr_assert_not(accepts(CASE_F32, 1, 1, 1 + 6 * 0x1p-24));
    cr_assert(accepts(CASE_F32, 1, 9, 1 - 12 * 0x1p-24));
    cr_assert_not(accepts(CASE_F32, 1, 9, 1 - 14 * 0x1p-24));
    cr_assert(accepts(CASE_BF16, 1, 1, 1 + 0x1p-8));
    cr_assert_not(accepts(CASE_BF16, 1, 1, 1 + 0x1p-7));
    cr_assert(accepts(CASE_F16, 0, 0, 0));
    cr_assert_not(accepts(CASE_F32, 0, 0, 0x1p-149));
}

Test(compare, knows_nan_and_infinity)
{
    double infinity = (double)INFINITY, nan = (double)NAN;
    cr_assert(accepts(CASE_F32, nan, 2, nan));
    cr_assert_not(accepts(CASE_F32, nan, 2, 1));
    cr_assert_not(accepts(CASE_F32, 1, 2, nan));
    cr_assert(accepts(CASE_F32, infinity, 2, infinity));
    cr_assert_not(accepts(CASE_F32, infinity, 2, -infinity));
    cr_assert_not(accepts(CASE_F32, infinity, 2, (double)FLT_MAX));
    cr_assert_not(accepts(CASE_F32, infinity, 2, nan));
    cr_assert(accepts(CASE_F32, 1e38, 4, nan)); /* terms of up to 9e38 before the last division */
    cr_assert_not(accepts(CASE_F32, 1e37, 4, nan));
    cr_assert(accepts(CASE_F16, 70000, 1, infinity));
    cr_assert_not(accepts(CASE_F16, 70000, 1, -infinity));
    cr_assert_not(accepts(CASE_F16, 70000, 1, 65504));
    cr_assert_not(accepts(CASE_F16, 60000, 4, infinity));
    cr_assert_not(accepts(CASE_F32, 2e38, 1, infinity));
}

/* ---- guard ---- */

Test(guard, sees_changes_on_the_open_side)
{
    struct guard guard = {0};
    for (size_t size = 0; size < 9000; size = size * 2 + 1) {
        unsigned char *front = guard_place(&guard, size, GUARD_FRONT, 1);
        memset(front, 0, size);
        cr_assert(guard_intact(&guard));
        front[size] = 0;
        cr_assert_not(guard_intact(&guard));
        unsigned char *end = guard_place(&guard, size, GUARD_END, 32);
        cr_assert_eq((uintptr_t)end % 32, 0u);
        memset(end, 0, size);
        cr_assert(guard_intact(&guard));
        end[-1] = 0;
        cr_assert_not(guard_intact(&guard));
    }
    guard_free(&guard);
}

Test(guard, faults_before_the_front, .signal = SIGSEGV)
{
    struct guard guard = {0};
    volatile unsigned char *block = guard_place(&guard, 100, GUARD_FRONT, 1);
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would catch it */
    block[-1] = 0;
}

Test(guard, faults_behind_the_end, .signal = SIGSEGV)
{
    struct guard guard = {0};
    volatile unsigned char *block = guard_place(&guard, 100, GUARD_END, 4);
    signal(SIGSEGV, SIG_DFL);
    block[99] = 0;
    block[100] = 0;
}
