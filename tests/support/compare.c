/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/compare.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static double sum_bound(const struct compare_rule *rule, const struct oracle_sum *sum)
{
    double roundings = (double)sum->terms + rule->roundings;
    /* The oracle of a double rounds as often as the operator. */
    if (rule->dtype == CASE_F64)
        return 2 * roundings * (ldexp(sum->magnitude, -53) + ldexp(1, -1074));
    return roundings * (ldexp(sum->magnitude, -24) + ldexp(1, -149));
}

double compare_sum_bound(const struct compare_rule *rule, const struct oracle_sum *sum)
{
    double bound = sum_bound(rule, sum);
    if (rule->dtype == CASE_F32 || rule->dtype == CASE_F64) return bound;
    return bound + oracle_ulp(rule->dtype, fabs(sum->value) + bound) / 2;
}

/* A sum of several terms may leave the range on the way although its value is inside. */
static bool may_overflow_on_the_way(const struct compare_rule *rule, const struct oracle_sum *sum)
{
    double largest = rule->dtype == CASE_F64 ? DBL_MAX : (double)FLT_MAX;
    return sum->terms > 1 && sum->magnitude > largest / rule->headroom;
}

bool compare_sum(const struct compare_rule *rule, const struct oracle_sum *expected, double got,
                 double *bound)
{
    *bound = 0;
    if (expected->terms == 0) return got == 0;
    if (isnan(expected->value)) return isnan(got);
    bool may_overflow = may_overflow_on_the_way(rule, expected);
    if (isinf(expected->value)) /* beside an infinite term the others may overflow the other way */
        return got == expected->value || (isnan(got) && may_overflow);
    if (!isfinite(got) && may_overflow) return true;
    *bound = compare_sum_bound(rule, expected);
    if (isinf(got)) {
        double reach = expected->value + copysign(sum_bound(rule, expected), got);
        return isinf(oracle_round(rule->dtype, reach)) && signbit(reach) == signbit(got);
    }
    return fabs(got - expected->value) <= *bound;
}

/* Before the last axis's factor is applied a sum is up to the kernel's area larger. */
static struct compare_rule rule_of(const struct test_case *test)
{
    struct compare_rule rule = {test->dtype, 2.0 * test->axes, 1};
    for (int i = 0; i < test->axes; i++)
        rule.headroom *= (double)case_window(test, i).kernel;
    return rule;
}

double compare_bound(const struct test_case *test, const struct oracle_sum *sum)
{
    struct compare_rule rule = rule_of(test);
    return compare_sum_bound(&rule, sum);
}

bool compare_element(const struct test_case *test, const struct oracle_sum *expected, double got,
                     double *bound)
{
    struct compare_rule rule = rule_of(test);
    return compare_sum(&rule, expected, got, bound);
}

static void print_position(const struct test_case *test, int64_t index, char *text, size_t size)
{
    int64_t at[CASE_AXES];
    for (int i = test->axes - 1; i >= 0; i--) {
        at[i] = index % test->input[i];
        index /= test->input[i];
    }
    int used = snprintf(text, size, "[n%" PRId64 " c%" PRId64, index / test->channels,
                        index % test->channels);
    for (int i = 0; i < test->axes; i++)
        used += snprintf(text + used, size - (size_t)used, " %" PRId64, at[i]);
    snprintf(text + used, size - (size_t)used, "]");
}

bool compare_gradient(const struct test_case *test, const struct oracle_sum *expected,
                      const double *got, char *text, size_t text_size)
{
    int64_t count = case_input_elements(test);
    for (int64_t i = 0; i < count; i++) {
        double bound;
        if (compare_element(test, &expected[i], got[i], &bound)) continue;
        char position[160];
        print_position(test, i, position, sizeof position);
        snprintf(text, text_size,
                 "gradInput%s: expected %.9g (%" PRId64 " terms), got %.9g, off by %.3g, bound "
                 "%.3g",
                 position, expected[i].value, expected[i].terms, got[i],
                 fabs(got[i] - expected[i].value), bound);
        return false;
    }
    return true;
}
