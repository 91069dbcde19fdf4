/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/compare.h"

#include <float.h>
#include <math.h>

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

static double rounded(struct compare_near near, enum case_dtype dtype, double value)
{
    if (near.via != CASE_DTYPES && oracle_is_float(near.via)) value = oracle_round(near.via, value);
    return oracle_round(dtype, near.whole && !oracle_is_float(dtype) ? rint(value) : value);
}

bool compare_near(struct compare_near near, enum case_dtype dtype, double want, double got)
{
    const bool is_wide = dtype == CASE_F64 && (near.via == CASE_DTYPES || near.via == CASE_F64);
    const double ulp = near.ulp + (is_wide ? 1 : 0);
    if (isnan(want)) return isnan(got);
    if (isinf(want)) return got == want;
    if (want == 0 && near.absolute == 0) return got == 0 && signbit(got) == signbit(want);
    const double unit = oracle_ulp(is_wide ? CASE_F64 : CASE_F32, want);
    const double distance = ulp * unit + near.absolute;
    return got >= rounded(near, dtype, want - distance) &&
           got <= rounded(near, dtype, want + distance);
}
