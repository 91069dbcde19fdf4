/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operators from their definitions, one line of oracle_elementwise.def each:
 *
 *     ELEMENTWISE(add, "aclnnAdd aclnnInplaceAdd aclnnAdds aclnnInplaceAdds", SAME, 0,
 *                 x[0] + R(c[0] * x[1]), plus(x[0], times(c[0], x[1])))
 *
 * a name of its own, the operators that compute it, the result's type, the error in units in the
 * last place (0: bit for bit), and twice the value of an element: in double, of integers.
 *
 *     x[]   the operands in the order of the arguments, tensors and SCALARs alike, cast to the type
 *           in which is computed: the promoted one, torch.result_type
 *     c[]   the COEFFICIENTs (alpha, value)
 *     p[]   numbers in order: BOOL, INT64, FLOAT, ...
 *     k     which result it is, if there are several
 *     given bit i: x[i] is given; an OPTIONAL one that is not is 0
 *
 * A scalar is not rounded to a half type, for half types are computed in f32. R(v) rounds an
 * intermediate result to the computing type. Integers are computed in 64 bits and wrap when they
 * are stored; plus, minus, times wrap as well.
 *
 * Results: SAME, of the promoted type; REAL, the same, but integers and bools are cast to f32
 * first (no form for integers: NONE); BOOL; REAL_BOOL, computed as REAL; MODE, as REAL where the
 * first number is 0 and as SAME where it is 1 or 2. An output of another type gets the result cast
 * to it.
 *
 *     UNARY_REAL(exp, "aclnnExp aclnnInplaceExp", 1, exp(x[0]))     a REAL one
 *     COMPARE(gt, "aclnnGtTensor aclnnGtScalar", x[0] > x[1])       BOOL, one form for all types
 *
 * Random problems give BOOL and whole numbers 0 or 1, FLOAT and DOUBLE 0 to 1 in quarters. ADJUSTED
 * takes a function more, which may change what is drawn:
 *
 *     ADJUSTED(round, "aclnnRoundDecimals", REAL, 1, decimals, round_to(x[0], p[0]), NONE)
 *     static void decimals(struct test_case *test, struct random *random)
 *
 * SELECTING(where, "aclnnSWhere", 1, real, integer) is a SAME one, bit for bit, the mask's operands
 * (bit i: x[i]) are bool or uint8, have no say in the type and are 0 or 1.
 *
 * Lists of tensors: x[] has the elements at one place of each list; so have scalars of a list. */
#ifndef ACLNN_CPU_TESTS_ORACLE_ELEMENTWISE_H
#define ACLNN_CPU_TESTS_ORACLE_ELEMENTWISE_H

#include <math.h>

#include "tests/support/oracle_rows.h"

enum oracle_result { ORACLE_SAME, ORACLE_REAL, ORACLE_BOOL, ORACLE_REAL_BOOL, ORACLE_MODE };

typedef double oracle_real_form(int k, const double *x, const double *c, const double *p,
                                bool is_double, unsigned given);
typedef int64_t oracle_integer_form(int k, const int64_t *x, const int64_t *c, const double *p,
                                    unsigned given);

/* oracle_row.more of an elementwise operator. */
struct oracle_elementwise {
    enum oracle_result result;
    unsigned selectors; /* operands that select */
    oracle_real_form *real;
    oracle_integer_form *integer;
    void (*adjust)(struct test_case *test, struct random *random); /* may be NULL */
};

void oracle_elementwise(struct rig_problem *problem);
struct test_case random_elementwise(const struct rig_operator *op, struct random *random,
                                    enum case_dtype dtype);
/* What the operator computes in, for operands of these types; scalars have no say yet. */
const struct oracle_elementwise *oracle_elementwise_of(const struct rig_operator *op);

/* Whether integers are computed as f32. */
static inline bool oracle_is_of_reals(enum oracle_result result, const int64_t *number)
{
    return result == ORACLE_REAL || result == ORACLE_REAL_BOOL ||
           (result == ORACLE_MODE && number[0] == 0);
}

/* In a form: value is a sum of terms that may cancel, whose magnitudes add up to size. The bound of
 * this element grows by 2^-27 of the size, of DOUBLE by 2^-50. */
double oracle_cancelling(double size, double value);
/* In a form: half types are computed in f32 throughout. Their bound grows by 2^-20 of the value,
 * and of what cancels; and by what a factor below the normal numbers makes of `by`. */
double oracle_single(double value, double by);
/* The same, and FLOAT too: its bound grows by 2^-22 of what cancels, and by what rounding a factor
 * below the normal numbers makes of `by`. */
double oracle_single_too(double value, double by);

static inline int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* ---- the lines: ORACLE_LINE is one of the two below, in turn ---- */

#define UNARY_REAL(id, names, ulp, form) ELEMENTWISE(id, names, REAL, ulp, form, NONE)
#define COMPARE(id, names, form)         ELEMENTWISE(id, names, BOOL, 0, form, form)
#define ELEMENTWISE(id, names, result, ulp, real, integer)                                         \
    ORACLE_LINE(id, names, 0, result, ulp, NULL, real, integer)
#define ADJUSTED(id, names, result, ulp, adjust, real, integer)                                    \
    ORACLE_LINE(id, names, 0, result, ulp, adjust, real, integer)
#define SELECTING(id, names, mask, real, integer)                                                  \
    ORACLE_LINE(id, names, mask, SAME, 0, NULL, real, integer)
#define NONE     0
#define R(value) (is_double ? (value) : oracle_round(CASE_F32, value))

#define ORACLE_FORMS(id, names, mask, result_type, ulp, change, of_real, of_integer)               \
    static double id##_real(int k, const double *x, const double *c, const double *p,              \
                            bool is_double, unsigned given)                                        \
    {                                                                                              \
        (void)k, (void)x, (void)c, (void)p, (void)is_double, (void)given;                          \
        return of_real;                                                                            \
    }                                                                                              \
    static int64_t id##_integer(int k, const int64_t *x, const int64_t *c, const double *p,        \
                                unsigned given)                                                    \
    {                                                                                              \
        (void)k, (void)x, (void)c, (void)p, (void)given;                                           \
        return of_integer;                                                                         \
    }                                                                                              \
    static const struct oracle_elementwise id##_more = {ORACLE_##result_type, mask, id##_real,     \
                                                        id##_integer, change};
#define ORACLE_ROW(id, names, mask, result, units, change, of_real, of_integer)                    \
    {.name = names,                                                                                \
     .oracle = oracle_elementwise,                                                                 \
     .random = random_elementwise,                                                                 \
     .ulp = (units),                                                                               \
     .more = &id##_more},

#endif
