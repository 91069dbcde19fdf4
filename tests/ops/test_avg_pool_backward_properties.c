/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for the gradient whatever the numbers: adjointness, linearity, the same bits for every
 * layout. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/avg_pool_call.h"
#include "tests/support/compare.h"

static struct avg_pool_rig rig;
static struct random source;

static void begin(void)
{
    source.state = random_test_seed() ^ 0x5851f42d4c957f2d;
    avg_pool_rig_begin(&rig);
}

static void end(void)
{
    avg_pool_rig_end(&rig);
}

TestSuite(avg_pool_backward_properties, .init = begin, .fini = end, .timeout = 600);

static void run(const struct test_case *test)
{
    char line[CASE_LINE], text[1024];
    cr_assert(avg_pool_rig_run(&rig, test, GUARD_END, text, sizeof text),
              "%s\n  %s (ACLNN_TEST_SEED=%" PRIu64 ")", case_print(test, line), text,
              random_test_seed());
}

static uint64_t *run_bits(const struct test_case *test)
{
    run(test);
    size_t bytes = ((size_t)case_input_elements(test) + 1) * sizeof(uint64_t);
    uint64_t *bits = malloc(bytes);
    cr_assert(bits != NULL);
    memcpy(bits, rig.bits, bytes);
    return bits;
}

static void expect_same_bits(const struct test_case *test, const uint64_t *want, const char *what)
{
    char line[CASE_LINE];
    for (int64_t i = 0; i < case_input_elements(test); i++)
        cr_assert_eq(rig.bits[i], want[i],
                     "%s\n  %s: element %" PRId64 " is %08" PRIx64 ", not %08" PRIx64
                     " (ACLNN_TEST_SEED=%" PRIu64 ")",
                     case_print(test, line), what, i, rig.bits[i], want[i], random_test_seed());
}

static struct test_case plain_case(enum case_dtype dtype)
{
    struct test_case test;
    do {
        test = avg_pool_random_case(&source, dtype);
    } while (test.has_output);
    test.data = CASE_PLAIN;
    test.math = 0;
    return test;
}

static double *copy_of(const double *values, int64_t count)
{
    double *copy = malloc(((size_t)count + 1) * sizeof *copy);
    cr_assert(copy != NULL);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

/* <dy, forward(x)> == <backward(dy), x>, within the sum of the elements' bounds. */
Test(avg_pool_backward_properties, adjoint_of_the_forward)
{
    for (int64_t i = 0, count = random_test_count(1500); i < count; i++) {
        struct test_case test = plain_case((enum case_dtype)(i % CASE_FLOATS));
        int64_t inputs = case_input_elements(&test), outputs = case_output_elements(&test);
        double *x = malloc((size_t)inputs * sizeof *x), *y = malloc((size_t)outputs * sizeof *y);
        cr_assert(x && y);
        for (int64_t j = 0; j < inputs; j++)
            x[j] = random_unit(&source);
        oracle_avg_pool(&test, x, y);
        avg_pool_rig_load(&rig, &test);
        run(&test);
        double left = 0, right = 0, bound = 1e-12;
        for (int64_t j = 0; j < outputs; j++)
            left += rig.dy[j] * y[j];
        for (int64_t j = 0; j < inputs; j++) {
            right += rig.got[j] * x[j];
            bound += fabs(x[j]) * compare_bound(&test, &rig.want[j]);
        }
        char line[CASE_LINE];
        cr_assert(fabs(left - right) <= bound, "%s\n  <dy, f(x)> %.9g, <f'(dy), x> %.9g, bound %g",
                  case_print(&test, line), left, right, bound);
        free(x);
        free(y);
    }
}

/* Small whole numbers divided by a power of two have exact sums: f(a + 4 b) == f(a) + 4 f(b). */
Test(avg_pool_backward_properties, linear)
{
    for (int64_t i = 0, count = random_test_count(1500); i < count; i++) {
        struct test_case test = plain_case(CASE_F32);
        test.divisor = (int64_t)1 << random_between(&source, 0, 20);
        test.dy_layout = CASE_CONTIGUOUS;
        int64_t outputs = case_output_elements(&test), inputs = case_input_elements(&test);
        avg_pool_rig_load(&rig, &test);
        double *a = copy_of(rig.dy, outputs), *b = copy_of(rig.dy, outputs);
        for (int64_t j = 0; j < outputs; j++) {
            rig.dy[j] = a[j] = (double)random_between(&source, -99, 99);
            b[j] = (double)random_between(&source, -99, 99);
        }
        run(&test);
        double *fa = copy_of(rig.got, inputs);
        memcpy(rig.dy, b, (size_t)outputs * sizeof *b);
        run(&test);
        double *fb = copy_of(rig.got, inputs);
        for (int64_t j = 0; j < outputs; j++)
            rig.dy[j] = a[j] + 4 * b[j];
        run(&test);
        char line[CASE_LINE];
        for (int64_t j = 0; j < inputs; j++)
            cr_assert(rig.got[j] == fa[j] + 4 * fb[j], "%s\n  element %" PRId64 ": %.9g, not %.9g",
                      case_print(&test, line), j, rig.got[j], fa[j] + 4 * fb[j]);
        free(a);
        free(b);
        free(fa);
        free(fb);
    }
}

Test(avg_pool_backward_properties, every_layout_gives_the_same_bits)
{
    for (int64_t i = 0, count = random_test_count(1500); i < count; i++) {
        struct test_case test = plain_case((enum case_dtype)(i % CASE_FLOATS));
        if (random_once_in(&source, 3)) test.data = CASE_SPECIAL;
        test.math = (int)random_between(&source, 0, 3);
        avg_pool_rig_load(&rig, &test);
        struct test_case other = test;
        other.dy_layout = other.dx_layout = CASE_CONTIGUOUS;
        other.offset = 0;
        uint64_t *want = run_bits(&other);
        run(&test); /* the drawn layout, a broadcast one too */
        expect_same_bits(&test, want, "differs from contiguous");
        static const enum case_layout dense[] = {CASE_CONTIGUOUS, CASE_CHANNELS_LAST, CASE_STRIDED};
        for (int pair = 1; pair < 9; pair++) {
            other.dy_layout = dense[pair / 3];
            other.dx_layout = dense[pair % 3];
            run(&other);
            expect_same_bits(&other, want, "differs from contiguous");
        }
        free(want);
    }
}

/* A math type is its rounding of gradOutput followed by plain arithmetic, to the bit. */
Test(avg_pool_backward_properties, math_types_round_the_operand_only)
{
    for (int64_t i = 0, count = random_test_count(1500); i < count; i++) {
        struct test_case test = plain_case((enum case_dtype)(i % CASE_FLOATS));
        test.math = (int)random_between(&source, 1, 3);
        if (random_once_in(&source, 3)) test.data = CASE_HUGE;
        avg_pool_rig_load(&rig, &test);
        uint64_t *with_math = run_bits(&test);
        if (test.math == 2 && test.dtype == CASE_BF16) {
            free(with_math); /* fp16 numbers need not be bf16 ones: the oracle's test covers them */
            continue;
        }
        for (int64_t j = 0; j < case_output_elements(&test); j++)
            rig.dy[j] = oracle_operand(test.dtype, test.math, rig.dy[j]);
        test.math = 0;
        run(&test);
        expect_same_bits(&test, with_math, "math=0 on rounded data differs");
        free(with_math);
    }
}

/* HF32 rounds to nearest with ties away, keeps NaN and Inf; fp16 overflows to infinity. */
Test(avg_pool_backward_properties, roundings_at_their_edges)
{
    static const double values[] = {1 + 0x1p-12,
                                    1 + 3 * 0x1p-12,
                                    1 + 0x1.8p-12,
                                    -1 - 0x1p-12,
                                    0x1.ffffp127,
                                    0x1.fffp127,
                                    0x1.ffe8p127,
                                    0x1p-149,
                                    0x1p-138,
                                    0x1.8p-138,
                                    (double)NAN,
                                    (double)INFINITY,
                                    -(double)INFINITY,
                                    65504,
                                    65519.996,
                                    65520,
                                    0x1p-25,
                                    0x1.000002p-25,
                                    2049,
                                    -2051,
                                    0,
                                    -0.0};
    enum { COUNT = sizeof values / sizeof values[0] };
    for (int math = 0; math <= 3; math++) {
        struct test_case test;
        char error[256], line[CASE_LINE];
        cr_assert(case_parse("avg_pool2d_backward f32 n1c1 1x22 k1", &test, error, sizeof error));
        cr_assert_eq(case_output_elements(&test), COUNT);
        test.math = math;
        avg_pool_rig_load(&rig, &test);
        memcpy(rig.dy, values, sizeof values);
        run(&test);
        for (int j = 0; j < COUNT; j++) {
            double value = oracle_round(CASE_F32, values[j]);
            double want = oracle_operand(CASE_F32, math, value);
            cr_assert(isnan(want) ? isnan(rig.got[j]) : rig.got[j] == want,
                      "%s: %a became %a, not %a", case_print(&test, line), value, rig.got[j], want);
        }
    }
}

/* Whole numbers over a power of two have exact sums in fp32; all that is left is one rounding to
 * the nearest, ties to even. */
Test(avg_pool_backward_properties, exact_sums_are_rounded_once)
{
    for (int64_t i = 0, count = random_test_count(1500); i < count; i++) {
        struct test_case test = plain_case((enum case_dtype)(i % CASE_FLOATS));
        test.divisor = (int64_t)1 << random_between(&source, 0, 6);
        test.dy_layout = CASE_CONTIGUOUS;
        avg_pool_rig_load(&rig, &test);
        for (int64_t j = 0; j < case_output_elements(&test); j++)
            rig.dy[j] = (double)random_between(&source, -255, 255);
        oracle_avg_pool_backward(&test, rig.dy, rig.want);
        run(&test);
        char line[CASE_LINE];
        for (int64_t j = 0; j < case_input_elements(&test); j++) {
            double want = oracle_round(test.dtype, rig.want[j].value);
            cr_assert(rig.got[j] == want, "%s\n  element %" PRId64 ": %a of %a, not %a",
                      case_print(&test, line), j, rig.got[j], rig.want[j].value, want);
        }
    }
}
