/* SPDX-License-Identifier: Apache-2.0 */
/* What functions of kernels/vector/math.h should give, many at a time: by glibc's vector math in
 * double, which is within 4 ULP of double. */
#ifndef ACLNN_CPU_TESTS_BENCH_MATH_QUICK_H
#define ACLNN_CPU_TESTS_BENCH_MATH_QUICK_H

/* values[i] = f(x[i]); count: a multiple of 4. result[i] is a level's, where an iteration may begin
 * that has no other fixed point than the value. */
typedef void math_quick_fn(const float *x, const float *result, double *values, int count);

/* Of that math_function; NULL where there is none, or no such library or CPU. */
math_quick_fn *math_quick_of(int function);

#endif
