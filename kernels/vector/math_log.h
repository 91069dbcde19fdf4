/* SPDX-License-Identifier: Apache-2.0 */
/* log and what it gives: see math.h. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_LOG_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_LOG_H

#include "kernels/vector/math_exp.h"

#define WIDE_LOG10_OF_2 0x1.34413509f79ffp-2
#define WIDE_LOG10_OF_E 0x1.bcb7b1526e50ep-2

/* u = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), of a normal u > 0; of others k and f are finite.
 */
struct wide_mantissa {
    vd k, f;
};

K_TEMPLATE
struct wide_mantissa wide_mantissa_of(vd u)
{
    const uint64_t root = 0x3fe6a09e667f3bcd; /* sqrt(1/2) */
    const vul bits = (vul)u + (0x3ff0000000000000 - root);
    const vd k = (vd)((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
    return (struct wide_mantissa){k, (vd)((bits & 0xfffffffffffff) + root) - 1};
}

/* log(1 + f) of a mantissa */
K_TEMPLATE
vd wide_log_mantissa(vd f)
{
    /* log(1 + f) / f, relative error 2^-30.5 */
    static const double c[] = {1.0000000006314558,   -0.49999999668162837, 0.33333301595926856,
                               -0.25000026991606195, 0.2000257662015317,   -0.1666791636385763,
                               0.14212520737854642,  -0.1240100469816945,  0.11926152243291901,
                               -0.11718633508144663, 0.06725761192255504};
    return f * vd_polynomial(f, 10, c);
}

/* The same with a relative error of 2^-51. */
K_TEMPLATE
vd wide_log_mantissa_precise(vd f)
{
    static const double c[] = {1.0,
                               -0.49999999999998423,
                               0.33333333333331217,
                               -0.25000000000778616,
                               0.2000000000122557,
                               -0.1666666655486939,
                               0.142857140622116,
                               -0.12500007154685272,
                               0.1111112890034278,
                               -0.09999762195814793,
                               0.09090183121995643,
                               -0.08337581378898655,
                               0.07708581604890775,
                               -0.07106031203629086,
                               0.06466700982734674,
                               -0.06311043278114555,
                               0.07094766188981287,
                               -0.0669362995672535,
                               0.030690309752057093};
    return f * vd_polynomial(f, 18, c);
}

/* Of a normal x > 0; of others finite and without meaning. */
K_TEMPLATE
vd wide_log(vd x)
{
    const struct wide_mantissa m = wide_mantissa_of(x);
    return vd_fma(m.k, vd_all(WIDE_LN2), wide_log_mantissa(m.f));
}

K_TEMPLATE
vd wide_log2(vd x)
{
    const struct wide_mantissa m = wide_mantissa_of(x);
    return vd_fma(wide_log_mantissa(m.f), vd_all(WIDE_LOG2_OF_E), m.k);
}

K_TEMPLATE
vd wide_log10(vd x)
{
    const struct wide_mantissa m = wide_mantissa_of(x);
    return vd_fma(m.k, vd_all(WIDE_LOG10_OF_2), wide_log_mantissa(m.f) * WIDE_LOG10_OF_E);
}

/* As wide_log, with a relative error of about 2^-51. */
K_TEMPLATE
vd wide_log_precise(vd x)
{
    const struct wide_mantissa m = wide_mantissa_of(x);
    return vd_fma(m.k, vd_all(WIDE_LN2), wide_log_mantissa_precise(m.f));
}

/* log(1 + x), x > -1. While 1 + x needs no scaling, f is x itself, which 1 + x may have rounded. */
K_TEMPLATE
vd wide_log1p(vd x)
{
    const struct wide_mantissa m = wide_mantissa_of(1 + x);
    const vd f = vd_if(vd_equal(m.k, (vd){0}), x, m.f);
    return vd_fma(m.k, vd_all(WIDE_LN2), wide_log_mantissa(f));
}

/* value, of log(x) in some base, where x is positive and finite; what a logarithm is elsewhere. */
K_TEMPLATE
vf v_log_result(vf x, vf value)
{
    const vf zero = {0};
    value = v_if(v_less(x, v_all(INFINITY)), value, x);
    return v_if(v_less(zero, x), value, v_if(v_equal(x, zero), v_all(-INFINITY), v_all(NAN)));
}

K_TEMPLATE
vf v_log(vf x)
{
    return v_log_result(x, v_by_doubles(wide_log, x));
}

K_TEMPLATE
vf v_log2(vf x)
{
    return v_log_result(x, v_by_doubles(wide_log2, x));
}

K_TEMPLATE
vf v_log10(vf x)
{
    return v_log_result(x, v_by_doubles(wide_log10, x));
}

K_TEMPLATE
vf v_log1p(vf x)
{
    const vf value = v_copysign(v_by_doubles(wide_log1p, x), x), least = v_all(-1);
    const vf outside = v_if(v_equal(x, least), v_all(-INFINITY), v_all(NAN));
    return v_if(v_less(least, x), v_if(v_less(x, v_all(INFINITY)), value, x), outside);
}

/* ---- powers ---- */

K_TEMPLATE
vd wide_pow(vd x, vd y)
{
    const vd a = vd_abs(x), zero = {0}, one = vd_all(1), infinite = vd_all(INFINITY);
    const struct wide_mantissa m = wide_mantissa_of(a);
    vd log2 = vd_fma(wide_log_mantissa_precise(m.f), vd_all(WIDE_LOG2_OF_E), m.k);
    log2 = vd_if(vd_less(zero, a), log2, -infinite);
    log2 = vd_if(vd_less(a, infinite), log2, a); /* infinite, NaN */
    vd value = wide_exp2(vd_at_most(vd_at_least(y * log2, WIDE_EXP2_LOW), WIDE_EXP2_HIGH));

    /* Floats beyond 2^24 are even; they do not reach vd_round's limit. */
    const vd exponent = vd_at_most(vd_at_least(y, -0x1p26), 0x1p26), half = 0.5 * exponent;
    const vd_mask whole = vd_equal(vd_round(exponent), exponent);
    const vd_mask odd = whole & ~vd_equal(vd_round(half), half);
    const vd_mask finite_below_0 = vd_less(x, zero) & vd_less(a, infinite);
    value = vd_if(odd, vd_copysign(value, x), value);
    value = vd_if(finite_below_0 & ~whole, vd_all(NAN), value);
    value = vd_if(vd_equal(a, one) & vd_equal(vd_abs(y), infinite), one, value);
    return vd_if(vd_equal(x, one) | vd_equal(y, zero), one, value);
}

K_TEMPLATE
vf v_pow(vf x, vf y)
{
    return v_by_doubles_2(wide_pow, x, y);
}

K_TEMPLATE
vd wide_cbrt(vd a)
{
    return wide_exp2(wide_log2(a) * (1.0 / 3));
}

K_TEMPLATE
vf v_cbrt(vf x)
{
    const vf a = v_abs(x), value = v_copysign(v_by_doubles(wide_cbrt, a), x);
    return v_if(v_less((vf){0}, a) & v_less(a, v_all(INFINITY)), value, x);
}

/* ---- hyperbolic, inverse ---- */

K_TEMPLATE
vd wide_asinh(vd a)
{
    const vd square = a * a;
    return wide_log1p(a + square / (1 + vd_sqrt(1 + square)));
}

K_TEMPLATE
vd wide_acosh(vd x)
{
    const vd above = x - 1;
    return wide_log1p(above + vd_sqrt(above * (x + 1)));
}

K_TEMPLATE
vd wide_atanh(vd a)
{
    return 0.5 * wide_log1p((a + a) / (1 - a));
}

K_TEMPLATE
vf v_asinh(vf x)
{
    const vf a = v_abs(x), value = v_copysign(v_by_doubles(wide_asinh, a), x);
    return v_if(v_less(a, v_all(INFINITY)), value, x);
}

K_TEMPLATE
vf v_acosh(vf x)
{
    const vf value = v_if(v_less(x, v_all(INFINITY)), v_by_doubles(wide_acosh, x), x);
    return v_if(v_less_equal(v_all(1), x), value, v_all(NAN));
}

K_TEMPLATE
vf v_atanh(vf x)
{
    const vf a = v_abs(x), one = v_all(1), value = v_by_doubles(wide_atanh, a);
    const vf outside = v_if(v_equal(a, one), v_all(INFINITY), v_all(NAN));
    return v_copysign(v_if(v_less(a, one), value, outside), x);
}

#endif
