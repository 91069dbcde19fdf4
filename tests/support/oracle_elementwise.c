/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise functions from their definitions. A row: the operator, its value for a real number x,
 * and for an integer x, which wraps when it is stored. */
#include <math.h>
#include <string.h>

#include "tests/support/rows_table.h"

#define UNARIES UNARY(aclnnAbs, fabs(x), x < 0 ? (int64_t) - (uint64_t)x : x)

#define UNARY(name, of_real, of_integer)                                                           \
    static double name##_real(double x)                                                            \
    {                                                                                              \
        return of_real;                                                                            \
    }                                                                                              \
    static int64_t name##_integer(int64_t x)                                                       \
    {                                                                                              \
        return of_integer;                                                                         \
    }
UNARIES
#undef UNARY

static const struct oracle_unary unaries[] = {
#define UNARY(name, of_real, of_integer) {#name, name##_real, name##_integer},
    UNARIES
#undef UNARY
};

const struct oracle_unary *oracle_unary_of(const char *name)
{
    for (size_t i = 0; i < sizeof unaries / sizeof unaries[0]; i++)
        if (strcmp(unaries[i].name, name) == 0) return &unaries[i];
    return NULL;
}
