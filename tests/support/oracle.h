/* SPDX-License-Identifier: Apache-2.0 */
/* The definition of pooling: windows, bins, divisors, and average pooling computed in double, one
 * window at a time; and the roundings of the element types. Written from the operator contract,
 * with no code of the library. */
#ifndef ACLNN_CPU_TESTS_ORACLE_H
#define ACLNN_CPU_TESTS_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/support/cases.h"

/* Output size of one axis, dilation 1, the same padding at both ends; what the formula gives even
 * when it is not positive. */
int64_t oracle_output_extent(int64_t input, int64_t kernel, int64_t stride, int64_t pad, bool ceil);
/* The same for any window; its output is not read. */
int64_t oracle_window_count(const struct case_window *axis, bool ceil);

/* Replaces the padding: 1 same_upper, 2 same_lower, 3 valid. */
void oracle_auto_pad(struct case_window *axis, int auto_pad);

/* One axis of window w: its taps inside the input are begin, begin + step, ... below end, `taps` in
 * all; `padded` counts those inside the input with its padding. */
struct oracle_span {
    int64_t begin, end, step, taps, padded;
};
struct oracle_span oracle_span(const struct case_window *axis, int64_t w);

/* The bin of output `i` in adaptive pooling. */
struct oracle_span oracle_bin(int64_t input, int64_t output, int64_t i);

/* A problem of one to three axes as one of three, ones in front. */
enum { ORACLE_AXES = 3 };
struct oracle_problem {
    struct case_window axis[ORACLE_AXES];
    int64_t planes, inputs, outputs; /* planes, and elements of one on the large and small side */
    bool is_adaptive;
};
struct oracle_problem oracle_problem_of(const struct test_case *test);
/* With the bins of adaptive pooling in place of windows; the case has its output extents. */
struct oracle_problem oracle_adaptive_problem_of(const struct test_case *test);

/* The window (or bin) with this number in row-major order, and a loop over its taps, also
 * row-major: offsets in the plane. struct oracle_box box = oracle_box_of(&problem, window); for
 * (struct oracle_tap tap = oracle_first(&box); tap.left > 0; oracle_next(&box, &tap))
 *         use(tap.offset); */
struct oracle_box {
    struct oracle_span axis[ORACLE_AXES];
    int64_t height, width; /* of the input plane */
};
struct oracle_box oracle_box_of(const struct oracle_problem *problem, int64_t window);

struct oracle_tap {
    int64_t at[ORACLE_AXES], offset, left;
};
struct oracle_tap oracle_first(const struct oracle_box *box);
void oracle_next(const struct oracle_box *box, struct oracle_tap *tap);

/* What average pooling divides this window's sum by. */
double oracle_divisor(const struct test_case *test, const struct oracle_box *box);

/* x and y are dense, (planes, extents of the axes); up to three axes. */
void oracle_avg_pool(const struct test_case *test, const double *x, double *y);

/* What an element of the gradient is made of: the sum of its terms, the sum of the magnitudes of
 * the finite ones, and how many there are. */
struct oracle_sum {
    double value, magnitude;
    int64_t terms;
};
static inline void oracle_add(struct oracle_sum *sum, double term)
{
    sum->value += term;
    if (isfinite(term)) sum->magnitude += fabs(term);
    sum->terms++;
}
void oracle_avg_pool_backward(const struct test_case *test, const double *dy,
                              struct oracle_sum *dx);

/* Roundings, each exact: nearest even to f32, f16, bf16 (to infinity when out of range); integers
 * cut towards zero and saturate. */
double oracle_round(enum case_dtype dtype, double value);

/* Bits of an element to its value and back; to_bits rounds as oracle_round. An i64 beyond 2^53
 * loses its low bits as a double. */
double oracle_from_bits(enum case_dtype dtype, uint64_t bits);
uint64_t oracle_to_bits(enum case_dtype dtype, double value);

/* The value of an integer type, exactly. */
int64_t oracle_integer(enum case_dtype dtype, uint64_t bits);

/* Is a > b, exactly? False when one is NaN. */
bool oracle_greater(enum case_dtype dtype, uint64_t a, uint64_t b);
bool oracle_is_nan(enum case_dtype dtype, uint64_t bits);

bool oracle_is_float(enum case_dtype dtype);

/* 8 exponent and 11 mantissa bits, nearest, ties away from zero; value is an f32. */
double oracle_round_hf32(double value);

/* The value the operator computes with, for an operand of this dtype and cubeMathType. */
double oracle_operand(enum case_dtype dtype, int math, double value);

/* Distance from |value| to the next representable number above it. */
double oracle_ulp(enum case_dtype dtype, double value);
double oracle_largest(enum case_dtype dtype);

#endif
