/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one complex number that are computed one by one, in double, with C's special values
 * (Annex G). */
#ifndef ACLNN_CPU_KERNELS_COMPLEX_K_COMPLEX_H
#define ACLNN_CPU_KERNELS_COMPLEX_K_COMPLEX_H

enum k_complex_function {
    K_COMPLEX_exp,
    K_COMPLEX_exp2,
    K_COMPLEX_log,
    K_COMPLEX_log2,
    K_COMPLEX_log10,
    K_COMPLEX_sqrt,
    K_COMPLEX_rsqrt,
    K_COMPLEX_sigmoid,
    K_COMPLEX_sin,
    K_COMPLEX_cos,
    K_COMPLEX_tan,
    K_COMPLEX_asin,
    K_COMPLEX_acos,
    K_COMPLEX_atan,
    K_COMPLEX_sinh,
    K_COMPLEX_cosh,
    K_COMPLEX_tanh,
    K_COMPLEX_asinh,
    K_COMPLEX_acosh,
    K_COMPLEX_atanh,
};

/* value: a real and an imaginary part, which become those of the result. */
void k_complex_apply(enum k_complex_function function, double value[2]);
/* base to the power of the exponent, which takes base's place. Of 0 and 0 it is NaN, or 1. */
void k_complex_power(double base[2], const double exponent[2], int is_one);

#endif
