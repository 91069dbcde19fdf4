/* SPDX-License-Identifier: Apache-2.0 */
/* Is a computed gradient right? The tolerance follows from the number of terms and the roundings of
 * the types alone:
 *
 *     |got - sum| <= (terms + 2 axes) * 2^-24 * sum |term|     roundings of fp32 arithmetic
 *                  + (terms + 2 axes) * 2^-149                 the same among subnormals
 *                  + half an ulp of a half type                the store
 *
 * terms - 1 additions, and for each axis one rounding of the reciprocal and one of the product.
 * NaN and infinity must come where the definition has them, and nowhere else. */
#ifndef ACLNN_CPU_TESTS_COMPARE_H
#define ACLNN_CPU_TESTS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/cases.h"
#include "tests/support/oracle.h"

double compare_bound(const struct test_case *test, const struct oracle_sum *sum);

/* One element; bound receives the tolerance. */
bool compare_element(const struct test_case *test, const struct oracle_sum *expected, double got,
                     double *bound);

/* All of a dense gradient. At the first wrong element returns false and writes index, expected, got
 * and bound to text. */
bool compare_gradient(const struct test_case *test, const struct oracle_sum *expected,
                      const double *got, char *text, size_t text_size);

/* The same for any operator: a sum in fp32 (f64: in double), whose terms and result see
 * `roundings` more roundings than the additions, and which on the way may be `headroom` times as
 * large as in the end. */
struct compare_rule {
    enum case_dtype dtype;
    double roundings, headroom;
};
double compare_sum_bound(const struct compare_rule *rule, const struct oracle_sum *sum);
bool compare_sum(const struct compare_rule *rule, const struct oracle_sum *expected, double got,
                 double *bound);

#endif
