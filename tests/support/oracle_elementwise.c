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

const struct oracle_row oracle_elementwise_rows[] = {
#define ORACLE_LINE ORACLE_ROW
#include "tests/support/oracle_elementwise.def"
    {.name = NULL},
};
