/* SPDX-License-Identifier: Apache-2.0 */
/* Is a computed sum right? The tolerance follows from the number of terms and the roundings of the
 * types alone:
 *
 *     |got - sum| <= (terms + roundings) * 2^-24 * sum |term|     roundings of fp32 arithmetic
 *                  + (terms + roundings) * 2^-149                 the same among subnormals
 *                  + half an ulp of a half type                   the store
 *
 * terms - 1 additions; each term and the result see `roundings` more. f64 sums in double. On the
 * way a sum may be `headroom` times as large as in the end. NaN and infinity must come where the
 * definition has them, and nowhere else. */
#ifndef ACLNN_CPU_TESTS_COMPARE_H
#define ACLNN_CPU_TESTS_COMPARE_H

#include <stdbool.h>

#include "tests/support/cases.h"
#include "tests/support/oracle.h"

struct compare_rule {
    enum case_dtype dtype;
    double roundings, headroom;
};
double compare_sum_bound(const struct compare_rule *rule, const struct oracle_sum *sum);
/* bound receives the tolerance. */
bool compare_sum(const struct compare_rule *rule, const struct oracle_sum *expected, double got,
                 double *bound);

/* A number that is computed in one step in the type in which `dtype` is computed (f32; f64 for
 * itself): got lies between want - distance and want + distance, both rounded to dtype, where
 * distance is `ulp` units in the last place of want in the computing type, and `absolute`. A double
 * gets one ulp more, for the oracle is no better. NaN and infinity must come where they are wanted,
 * and zero, if nothing is absolute, with its sign. */
struct compare_near {
    double ulp, absolute;
    /* A type that the result is rounded to before it becomes one of dtype; CASE_DTYPES: none. */
    enum case_dtype via;
    bool whole; /* outputs of integers too, rounded to the nearest */
};
bool compare_near(struct compare_near near, enum case_dtype dtype, double want, double got);

#endif
