/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for the gradient whatever the numbers: adjointness, linearity, the same bits for every
 * layout. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ops/suite.h"
#include "tests/support/rows.h"

enum { GRAD_OUTPUT, SELF, GRAD_INPUT };

static struct random source;
static struct rig_tensor *const dy = &rig.problem.tensor[GRAD_OUTPUT];
static struct rig_tensor *const dx = &rig.problem.tensor[GRAD_INPUT];

static void begin_seeded(void)
{
    source.state = random_test_seed() ^ 0x5851f42d4c957f2d;
    begin();
}

TestSuite(avg_pool_backward_properties, .init = begin_seeded, .fini = end, .timeout = 600);

static void load(const struct test_case *test)
{
    rig_load(&rig, &rig_avg_pool2d_backward, test);
}

static void run(const struct test_case *test)
{
    rig_view(&rig, test);
    cr_assert(rig_run(&rig, RIG_END), "%s (ACLNN_TEST_SEED=%" PRIu64 ")", rig.text,
              random_test_seed());
}

static uint64_t *run_bits(const struct test_case *test)
{
    run(test);
    size_t bytes = ((size_t)case_input_elements(test) + 1) * sizeof(uint64_t);
    uint64_t *bits = malloc(bytes);
    cr_assert(bits != NULL);
    memcpy(bits, dx->bits, bytes);
    return bits;
}

static void expect_same_bits(const struct test_case *test, const uint64_t *want, const char *what)
{
    char line[CASE_LINE];
    for (int64_t i = 0; i < case_input_elements(test); i++)
        cr_assert_eq(dx->bits[i], want[i],
                     "%s\n  %s: element %" PRId64 " is %08" PRIx64 ", not %08" PRIx64
                     " (ACLNN_TEST_SEED=%" PRIu64 ")",
                     case_print(test, line), what, i, dx->bits[i], want[i], random_test_seed());
}

static struct test_case plain_case(enum case_dtype dtype)
{
    struct test_case test;
    do {
        test = rig_avg_pool2d_backward.random_case(&source, dtype);
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
    for (int64_t i = 0, count = random_test_count(300); i < count; i++) {
        struct test_case test = plain_case((enum case_dtype)(i % CASE_FLOATS));
        int64_t inputs = case_input_elements(&test), outputs = case_output_elements(&test);
        double *x = malloc((size_t)inputs * sizeof *x), *y = malloc((size_t)outputs * sizeof *y);
        cr_assert(x && y);
        for (int64_t j = 0; j < inputs; j++)
            x[j] = random_unit(&source);
        oracle_avg_pool(&test, x, y);
        load(&test);
        run(&test);
        const struct compare_rule rule = {test.dtype, rig.problem.roundings, rig.problem.headroom};
        double left = 0, right = 0, bound = 1e-12;
        for (int64_t j = 0; j < outputs; j++)
            left += dy->values[j] * y[j];
        for (int64_t j = 0; j < inputs; j++) {
            right += dx->values[j] * x[j];
            bound += fabs(x[j]) * compare_sum_bound(&rule, &dx->sums[j]);
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
    for (int64_t i = 0, count = random_test_count(300); i < count; i++) {
        struct test_case test = plain_case(CASE_F32);
        test.divisor = (int64_t)1 << random_between(&source, 0, 20);
        test.dy_layout = CASE_CONTIGUOUS;
        int64_t outputs = case_output_elements(&test), inputs = case_input_elements(&test);
        load(&test);
        double *a = copy_of(dy->values, outputs), *b = copy_of(dy->values, outputs);
        for (int64_t j = 0; j < outputs; j++) {
            a[j] = (double)random_between(&source, -99, 99);
            b[j] = (double)random_between(&source, -99, 99);
        }
        rig_set(&rig, GRAD_OUTPUT, a);
        run(&test);
        double *fa = copy_of(dx->values, inputs);
        rig_set(&rig, GRAD_OUTPUT, b);
        run(&test);
        double *fb = copy_of(dx->values, inputs);
        for (int64_t j = 0; j < outputs; j++)
            a[j] += 4 * b[j];
        rig_set(&rig, GRAD_OUTPUT, a);
        run(&test);
        char line[CASE_LINE];
        for (int64_t j = 0; j < inputs; j++)
            cr_assert(dx->values[j] == fa[j] + 4 * fb[j],
                      "%s\n  element %" PRId64 ": %.9g, not %.9g", case_print(&test, line), j,
                      dx->values[j], fa[j] + 4 * fb[j]);
        free(a);
        free(b);
        free(fa);
        free(fb);
    }
}

Test(avg_pool_backward_properties, every_layout_gives_the_same_bits)
{
    for (int64_t i = 0, count = random_test_count(300); i < count; i++) {
        struct test_case test = plain_case((enum case_dtype)(i % CASE_FLOATS));
        if (random_once_in(&source, 3)) test.data = CASE_SPECIAL;
        test.math = (int)random_between(&source, 0, 3);
        load(&test);
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
    for (int64_t i = 0, count = random_test_count(300); i < count; i++) {
        struct test_case test = plain_case((enum case_dtype)(i % CASE_FLOATS));
        test.math = (int)random_between(&source, 1, 3);
        if (random_once_in(&source, 3)) test.data = CASE_HUGE;
        load(&test);
        uint64_t *with_math = run_bits(&test);
        if (test.math == 2 && test.dtype == CASE_BF16) {
            free(with_math); /* fp16 numbers need not be bf16 ones: the oracle's test covers them */
            continue;
        }
        for (int64_t j = 0; j < case_output_elements(&test); j++)
            dy->values[j] = oracle_operand(test.dtype, test.math, dy->values[j]);
        rig_set(&rig, GRAD_OUTPUT, dy->values);
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
        load(&test);
        rig_set(&rig, GRAD_OUTPUT, values);
        run(&test);
        for (int j = 0; j < COUNT; j++) {
            double value = oracle_round(CASE_F32, values[j]);
            double want = oracle_operand(CASE_F32, math, value);
            cr_assert(isnan(want) ? isnan(dx->values[j]) : dx->values[j] == want,
                      "%s: %a became %a, not %a", case_print(&test, line), value, dx->values[j],
                      want);
        }
    }
}

/* Whole numbers over a power of two have exact sums in fp32; all that is left is one rounding to
 * the nearest, ties to even. */
Test(avg_pool_backward_properties, exact_sums_are_rounded_once)
{
    for (int64_t i = 0, count = random_test_count(300); i < count; i++) {
        struct test_case test = plain_case((enum case_dtype)(i % CASE_FLOATS));
        test.divisor = (int64_t)1 << random_between(&source, 0, 6);
        test.dy_layout = CASE_CONTIGUOUS;
        load(&test);
        for (int64_t j = 0; j < case_output_elements(&test); j++)
            dy->values[j] = (double)random_between(&source, -255, 255);
        rig_set(&rig, GRAD_OUTPUT, dy->values);
        rig_ask(&rig);
        run(&test);
        char line[CASE_LINE];
        for (int64_t j = 0; j < case_input_elements(&test); j++) {
            double want = oracle_round(test.dtype, dx->sums[j].value);
            cr_assert(dx->values[j] == want, "%s\n  element %" PRId64 ": %a of %a, not %a",
                      case_print(&test, line), j, dx->values[j], dx->sums[j].value, want);
        }
    }
}
