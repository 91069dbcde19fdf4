/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of complex numbers: libm's where it has them. The same for every level. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "kernels/complex/k_complex.h"

static const double ln2 = 0x1.62e42fefa39efp-1, ln10 = 0x1.26bb1bbb55516p+1;

static double complex complex_of(double real, double imaginary)
{
    const double parts[] = {real, imaginary};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static double complex divided_by(double complex z, double divisor)
{
    return complex_of(creal(z) / divisor, cimag(z) / divisor);
}

/* 1 / z by Smith's method: nothing overflows on the way. */
static double complex inverse(double complex z)
{
    const double re = creal(z), im = cimag(z);
    if (re == 0 && im == 0) return complex_of(INFINITY, NAN);
    if (fabs(re) >= fabs(im)) {
        const double ratio = im / re, scale = 1 / (re + im * ratio);
        return complex_of(scale, -ratio * scale);
    }
    const double ratio = re / im, scale = 1 / (re * ratio + im);
    return complex_of(ratio * scale, -scale);
}

static double complex exp2_of(double complex z)
{
    return cexp(complex_of(creal(z) * ln2, cimag(z) * ln2));
}

static double complex log2_of(double complex z)
{
    return divided_by(clog(z), ln2);
}

static double complex log10_of(double complex z)
{
    return divided_by(clog(z), ln10);
}

static double complex rsqrt_of(double complex z)
{
    return inverse(csqrt(z));
}

static double complex sigmoid_of(double complex z)
{
    const double complex power = cexp(complex_of(-creal(z), -cimag(z)));
    return inverse(complex_of(1 + creal(power), cimag(power)));
}

static double complex (*const functions[])(double complex) = {
    [K_COMPLEX_exp] = cexp,       [K_COMPLEX_exp2] = exp2_of,       [K_COMPLEX_log] = clog,
    [K_COMPLEX_log2] = log2_of,   [K_COMPLEX_log10] = log10_of,     [K_COMPLEX_sqrt] = csqrt,
    [K_COMPLEX_rsqrt] = rsqrt_of, [K_COMPLEX_sigmoid] = sigmoid_of, [K_COMPLEX_sin] = csin,
    [K_COMPLEX_cos] = ccos,       [K_COMPLEX_tan] = ctan,           [K_COMPLEX_asin] = casin,
    [K_COMPLEX_acos] = cacos,     [K_COMPLEX_atan] = catan,         [K_COMPLEX_sinh] = csinh,
    [K_COMPLEX_cosh] = ccosh,     [K_COMPLEX_tanh] = ctanh,         [K_COMPLEX_asinh] = casinh,
    [K_COMPLEX_acosh] = cacosh,   [K_COMPLEX_atanh] = catanh,
};

void k_complex_apply(enum k_complex_function function, double value[2])
{
    const double complex result = functions[function](complex_of(value[0], value[1]));
    value[0] = creal(result);
    value[1] = cimag(result);
}

void k_complex_power(double base[2], const double exponent[2], int is_one)
{
    double complex result = 1;
    if (!is_one || exponent[0] != 0 || exponent[1] != 0)
        result = cpow(complex_of(base[0], base[1]), complex_of(exponent[0], exponent[1]));
    base[0] = creal(result);
    base[1] = cimag(result);
}
