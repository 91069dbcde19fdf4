/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of kernels/vector/math.h of one level, over arrays, and what they should give. */
#ifndef ACLNN_CPU_TESTS_UNIT_VECTOR_MATH_LEVEL_H
#define ACLNN_CPU_TESTS_UNIT_VECTOR_MATH_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum math_function {
#define MATH_1(name, bound, absolute) MATH_##name,
#define MATH_2(name, bound, absolute) MATH_##name,
#include "tests/unit/vector_math/functions.def"
#undef MATH_1
#undef MATH_2
    MATH_FUNCTIONS
};

struct math_level {
    const char *isa;
    bool fused; /* has fused multiply-add */
    /* result[i] = f(x[i], y[i]); count: a multiple of 16. y is not read if f has one argument. */
    void (*run[MATH_FUNCTIONS])(const float *x, const float *y, float *result, int64_t count);
    double (*run_f64[MATH_FUNCTIONS])(double x, double y);
};

typedef const struct math_level *math_level_fn(void);

/* The next level that this CPU runs, from *i on; NULL: none. */
const struct math_level *math_next_level(size_t *i);

struct math_reference {
    const char *name;
    double bound, absolute;     /* see functions.def */
    double (*of_one)(double x); /* good to 2^-40; NULL: it has two arguments */
    double (*of_two)(double x, double y);
};

extern const struct math_reference math_references[MATH_FUNCTIONS];

/* The error of result in ULP of f32 at the value; infinite where one is a NaN alone, or a zero has
 * the wrong sign. */
double math_ulp_error(float result, double value);

#endif
