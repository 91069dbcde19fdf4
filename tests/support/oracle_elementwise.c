/* SPDX-License-Identifier: Apache-2.0 */
/* The table of oracle_elementwise.def, and the functions that its forms call. */
#include "tests/support/oracle_elementwise.h"

#include <string.h>

/* ---- bounds ---- */

static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : a < b ? b : a;
}

static double smaller(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : b < a ? b : a;
}

/* Operands 1 and 2 are bounds if they are given. */
static double within(const double *x, unsigned given)
{
    const double raised = given & 2 ? larger(x[0], x[1]) : x[0];
    return given & 4 ? smaller(raised, x[2]) : raised;
}

static int64_t within_whole(const int64_t *x, unsigned given)
{
    const int64_t raised = given & 2 && x[0] < x[1] ? x[1] : x[0];
    return given & 4 && x[2] < raised ? x[2] : raised;
}

static void give_a_bound(struct test_case *test, struct random *random)
{
    if (case_argument_named(test, "clipValueMin") || case_argument_named(test, "clipValueMax"))
        return;
    if (strcmp(test->op, "clamp_tensor") == 0)
        random_tensor(test, random, "clipValueMax", test->dtype, NULL, 0, false);
    else
        random_scalar(test, random, "clipValueMin", CASE_BOOL);
}

/* ---- quotients and powers ---- */

/* Towards minus infinity: from the exact remainder, as Python's divmod. */
static double floor_quotient(double a, double b, bool is_double)
{
    const double rest = fmod(a, b);
    if (b == 0) return a / b;
    double quotient = R(R(a - rest) / b);
    if (rest != 0 && (rest < 0) != (b < 0)) quotient = R(quotient - 1);
    if (quotient == 0) return copysign(0, a / b);
    const double down = floor(quotient);
    return R(quotient - down) > 0.5 ? R(down + 1) : down;
}

static double divisor_remainder(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Divisions by 0 and of the least integer by -1 are ours to say: docs/numerics.md. */
static int64_t whole_quotient(int64_t a, int64_t b)
{
    return b == 0 ? -1 : b == -1 ? minus(0, a) : a / b;
}

static int64_t whole_remainder(int64_t a, int64_t b)
{
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

static int64_t whole_floor_quotient(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) return whole_quotient(a, b);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t whole_power(int64_t base, int64_t exponent)
{
    int64_t power = 1, factor = base;
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    for (int bit = 0; bit < 63; bit++, factor = times(factor, factor))
        if (exponent >> bit & 1) power = times(power, factor);
    return power;
}

static int64_t divisor(int64_t a, int64_t b)
{
    const uint64_t other = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    uint64_t large = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, small = other;
    while (small != 0) {
        const uint64_t rest = large % small;
        large = small;
        small = rest;
    }
    return (int64_t)large;
}

static double log_of_sum(double a, double b, bool is_binary)
{
    const double most = a < b ? b : a, least = a < b ? a : b;
    if (isnan(a) || isnan(b)) return NAN;
    if (isinf(most)) return most;
    if (is_binary) return most + log1p(exp2(least - most)) / 0.69314718055994530942;
    return most + log1p(exp(least - most));
}

/* ---- gradients ---- */

/* Negative ones are refused at times. */
static void raise_slope(struct test_case *test, struct random *random)
{
    (void)random;
    for (int i = 0; i < test->arguments; i++) {
        struct case_argument *one = &test->argument[i];
        if (strcmp(one->name, "negativeSlope") != 0) continue;
        one->real = fabs(one->real);
        if (!one->has_real) one->dims[0] = (int64_t)one->real;
    }
}

#define ORACLE_LINE ORACLE_FORMS
#include "tests/support/oracle_elementwise.def"
#undef ORACLE_LINE

/* All bits turned over; a bool has one. */
static void negated_bits(struct rig_problem *problem)
{
    const enum case_dtype type = problem->tensor[0].view.dtype;
    for (int64_t i = 0; i < problem->tensor[1].count; i++) {
        const int64_t x = oracle_whole_value(problem, 0, i);
        oracle_whole(problem, 1, i, type, type == CASE_BOOL ? !x : ~x);
    }
}

const struct oracle_row oracle_elementwise_rows[] = {
    {.name = "aclnnBitwiseNot",
     .oracle = negated_bits,
     .random = random_elementwise,
     .more = &bitwise_not_more},
#define ORACLE_LINE ORACLE_ROW
#include "tests/support/oracle_elementwise.def"
    {.name = NULL},
};
