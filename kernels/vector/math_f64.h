/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of math.h for one double: libm's where it has them, else from the definition,
 * evaluated without cancellation. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_F64_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_F64_H

#include "kernels/vector/math_double.h"

/* ---- libm's own ---- */

#define LIBM(name, function)                                                                       \
    K_TEMPLATE                                                                                     \
    double v_##name##_f64(double x)                                                                \
    {                                                                                              \
        return function(x);                                                                        \
    }
LIBM(exp, exp)
LIBM(exp2, exp2)
LIBM(expm1, expm1)
LIBM(log, log)
LIBM(log2, log2)
LIBM(log10, log10)
LIBM(log1p, log1p)
LIBM(cbrt, cbrt)
LIBM(sin, sin)
LIBM(cos, cos)
LIBM(tan, tan)
LIBM(asin, asin)
LIBM(acos, acos)
LIBM(atan, atan)
LIBM(sinh, sinh)
LIBM(cosh, cosh)
LIBM(tanh, tanh)
LIBM(asinh, asinh)
LIBM(acosh, acosh)
LIBM(atanh, atanh)
LIBM(erf, erf)
LIBM(erfc, erfc)
LIBM(sqrt, sqrt)
LIBM(round, nearbyint)
LIBM(floor, floor)
LIBM(ceil, ceil)
LIBM(trunc, trunc)
#undef LIBM

#define LIBM(name, function)                                                                       \
    K_TEMPLATE                                                                                     \
    double v_##name##_f64(double x, double y)                                                      \
    {                                                                                              \
        return function(x, y);                                                                     \
    }
LIBM(pow, pow)
LIBM(atan2, atan2)
LIBM(hypot, hypot)
LIBM(fmod, fmod)
#undef LIBM

/* ---- the others ---- */

K_TEMPLATE
double v_rsqrt_f64(double x)
{
    return 1 / sqrt(x);
}

K_TEMPLATE
double v_remainder_f64(double x, double y)
{
    const double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

K_TEMPLATE
double v_sigmoid_f64(double x)
{
    const double e = exp(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}

K_TEMPLATE
double v_silu_f64(double x)
{
    return x * v_sigmoid_f64(x);
}

K_TEMPLATE
double v_softplus_f64(double x)
{
    return (x > 0 ? x : x == x ? 0 : x) + log1p(exp(-fabs(x)));
}

/* e^x beyond 40 changes nothing and could overflow. */
K_TEMPLATE
double v_tanh_softplus_f64(double x)
{
    const double e = exp(x > 40 ? 40 : x), m = e * (e + 2);
    return m / (m + 2);
}

K_TEMPLATE
double v_mish_f64(double x)
{
    return x * v_tanh_softplus_f64(x);
}

K_TEMPLATE
double v_gelu_f64(double x)
{
    return 0.5 * x * erfc(x * -0x1.6a09e667f3bcdp-1);
}

K_TEMPLATE
double v_gelu_slope_f64(double x)
{
    return 0.5 * erfc(x * -0x1.6a09e667f3bcdp-1) + x * (0x1.9884533d43651p-2 * exp(x * x * -0.5));
}

K_TEMPLATE
double v_gelu_tanh_f64(double x)
{
    const double twice = 2 * 0x1.9884533d43651p-1;
    return x * v_sigmoid_f64(twice * (x + 0.044715 * x * x * x));
}

/* lgamma itself writes the sign of gamma to a variable that all threads share. */
K_TEMPLATE
double v_lgamma_f64(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* Newton's method: on erf(y) = x near 0, else on log(erfc(y)) = log(1 - x), which is nearly a
 * parabola, so that any start serves, and where erfc loses nothing near 1. */
K_TEMPLATE
double v_erfinv_f64(double x)
{
    const double a = fabs(x), root_pi = 0x1.c5bf891b4ef6bp+0;
    if (!(a < 1)) return a == 1 ? copysign(INFINITY, x) : NAN;
    double y = 0.5 * root_pi * a, step = y;
    for (int i = 0; i < 40 && fabs(step) > 0x1p-52 * y; i++) {
        const double slope = 2 / root_pi * exp(-y * y), tail = erfc(y);
        step = a < 0.5 ? (erf(y) - a) / slope : tail / slope * (log1p(-a) - log(tail));
        y -= step;
    }
    return copysign(y, x);
}

/* As v_digamma, the series from 12 on. */
K_TEMPLATE
double v_digamma_f64(double x)
{
    static const double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                    1.0 / 132, -691.0 / 32760, 1.0 / 12};
    if (x == 0) return copysign(INFINITY, -x);
    if (x < 0 && x == floor(x)) return NAN;
    double sum = 0, z = fabs(x);
    if (x < 0) {
        const double part = z - nearbyint(z);
        sum = WIDE_PI * cos(WIDE_PI * part) / sin(WIDE_PI * part);
        z += 1; /* digamma(z) + 1 / z */
    }
    for (; z < 12; z += 1)
        sum -= 1 / z;
    const double y = 1 / z, square = y * y;
    double tail = 0;
    for (int i = 6; i >= 0; i--)
        tail = tail * square + series[i];
    return sum + log(z) - 0.5 * y - square * tail;
}

#endif
