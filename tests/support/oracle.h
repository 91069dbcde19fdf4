/* SPDX-License-Identifier: Apache-2.0 */
/* The definition of average pooling, computed in double, one window at a time; and the roundings of
 * the element types. Written from the operator contract, with no code of the library. */
#ifndef ACLNN_CPU_TESTS_ORACLE_H
#define ACLNN_CPU_TESTS_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/cases.h"

/* Output size of one axis, dilation 1; what the formula gives even when it is not positive. */
int64_t oracle_output_extent(int64_t input, int64_t kernel, int64_t stride, int64_t pad, bool ceil);

/* One axis of window w: taps [begin, end) inside the input, and how many taps count for the divisor
 * when padding is counted. */
struct oracle_span {
    int64_t begin, end, padded;
};
struct oracle_span oracle_span(const struct case_window *axis, int64_t w);

/* x and y are dense, (planes, extents of the axes). */
void oracle_avg_pool(const struct test_case *test, const double *x, double *y);

/* What an element of the gradient is made of: the sum of its terms, the sum of the magnitudes of
 * the finite ones, and how many there are. */
struct oracle_sum {
    double value, magnitude;
    int64_t terms;
};
void oracle_avg_pool_backward(const struct test_case *test, const double *dy,
                              struct oracle_sum *dx);

/* Roundings, each exact: nearest even to f32, f16, bf16 (to infinity when out of range). */
double oracle_round(enum case_dtype dtype, double value);

/* Bits of an element to its value and back; to_bits rounds as oracle_round. */
double oracle_from_bits(enum case_dtype dtype, uint32_t bits);
uint32_t oracle_to_bits(enum case_dtype dtype, double value);

/* 8 exponent and 11 mantissa bits, nearest, ties away from zero; value is an f32. */
double oracle_round_hf32(double value);

/* The value the operator computes with, for an operand of this dtype and cubeMathType. */
double oracle_operand(enum case_dtype dtype, int math, double value);

/* Distance from |value| to the next representable number above it. */
double oracle_ulp(enum case_dtype dtype, double value);
double oracle_largest(enum case_dtype dtype);

#endif
