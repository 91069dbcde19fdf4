/* SPDX-License-Identifier: Apache-2.0 */
/* lgamma and digamma: see math.h. a = |x| is moved to z >= 8 by the recurrence, where Stirling's
 * series serves, and x < 0 is reflected to a. The series' terms are Bernoulli numbers. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_GAMMA_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_GAMMA_H

#include "kernels/vector/math_log.h"

enum { GAMMA_STEPS = 8 };

/* sin(pi a) and cos(pi a) up to one common sign, a >= 0; relative error 2^-50: near their zeros the
 * results are differences. */
struct wide_turn {
    vd sine, cosine;
};

K_TEMPLATE
struct wide_turn wide_turn_of(vd a)
{
    static const double sine[] = {1.0,
                                  -0.16666666666666616,
                                  0.008333333333319991,
                                  -0.00019841269828393116,
                                  2.7557313295750216e-06,
                                  -2.50507053139335e-08,
                                  1.589410435692489e-10};
    static const double cosine[] = {
        0.9999999999999999,    -0.4999999999999915,    0.04166666666645375,  -0.001388888886870539,
        2.480157814281904e-05, -2.755517711304667e-07, 2.062739715036198e-09};
    const vd part = a - vd_round(a), p = vd_abs(part); /* exact, p <= 1/2 */
    const vd_mask far = vd_less(vd_all(0.25), p);
    const vd r = WIDE_PI * vd_if(far, 0.5 - p, p), square = r * r;
    const vd s = r * vd_polynomial(square, 6, sine), c = vd_polynomial(square, 6, cosine);
    return (struct wide_turn){vd_copysign(vd_if(far, c, s), part), vd_if(far, s, c)};
}

/* log(|gamma(x)|) of what is no pole; NaN stays. Let G = gamma(a) a (a + 1) ... = gamma(z), then
 * gamma(-a) = -pi / (a sin(pi a) gamma(a)). */
K_TEMPLATE
vd wide_lgamma(vd x)
{
    static const double series[] = {1.0 / 12,    -1.0 / 360, 1.0 / 1260,
                                    -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
    const double half_log_2pi = 0x1.d67f1c864beb5p-1;
    const vd a = vd_abs(x), one = vd_all(1);
    const vd_mask small = vd_less(a, vd_all(GAMMA_STEPS)), negative = vd_less(x, (vd){0});
    vd product = vd_if(small, a, one);
    for (int i = 1; i < GAMMA_STEPS; i++)
        product *= vd_if(small, a + i, one);
    const vd z = vd_if(small, a + GAMMA_STEPS, a), y = 1 / z;
    const vd log_z = wide_log_precise(z);
    const vd rest = half_log_2pi + y * vd_polynomial(y * y, 5, series);
    const vd log_gamma_z = vd_fma(z - 0.5, log_z - 1, rest - 0.5);

    if (!vd_any(negative)) return log_gamma_z - wide_log_precise(product);
    const vd reflected = WIDE_PI * product / (a * vd_abs(wide_turn_of(vd_at_most(a, 0x1p30)).sine));
    const vd log_factor = wide_log_precise(vd_if(negative, reflected, product));
    return vd_if(negative, log_factor - log_gamma_z, log_gamma_z - log_factor);
}

K_TEMPLATE
vf v_lgamma(vf x)
{
    const vf zero = {0}, whole = v_by_doubles(vd_round, v_clamp(x, -0x1p30f, 0x1p30f));
    const v_mask pole = v_less_equal(x, zero) & v_equal(whole, v_clamp(x, -0x1p30f, 0x1p30f));
    const v_mask infinite = pole | v_equal(v_abs(x), v_all(INFINITY));
    const v_mask root = v_equal(x, v_all(1)) | v_equal(x, v_all(2));
    const vf value = v_if(root, zero, v_by_doubles(wide_lgamma, x));
    return v_if(infinite, v_all(INFINITY), value);
}

/* Of what is no pole: digamma(-a) = digamma(a) + 1 / a + pi / tan(pi a) */
K_TEMPLATE
vd wide_digamma(vd x)
{
    static const double series[] = {1.0 / 12,   -1.0 / 120, 1.0 / 252,
                                    -1.0 / 240, 1.0 / 132,  -691.0 / 32760};
    const vd a = vd_abs(x), zero = {0}, one = vd_all(1);
    const vd_mask small = vd_less(a, vd_all(GAMMA_STEPS));
    vd sum = one, product = vd_if(small, a, one); /* sum / product: 1 / a + 1 / (a + 1) + ... */
    for (int i = 1; i < GAMMA_STEPS; i++) {
        sum = vd_fma(sum, a + i, product);
        product *= a + i;
    }
    const vd z = vd_if(small, a + GAMMA_STEPS, a), y = 1 / z, square = y * y;
    const vd shift = vd_if(small, sum / product, zero);
    const vd series_z =
        wide_log_precise(z) - vd_fma(y, vd_all(0.5), square * vd_polynomial(square, 5, series));
    const vd_mask negative = vd_less(x, zero);
    if (!vd_any(negative)) return series_z - shift;
    const struct wide_turn turn = wide_turn_of(vd_at_most(a, 0x1p30));
    const vd reflection = 1 / a + WIDE_PI * turn.cosine / turn.sine;
    return series_z - shift + vd_if(negative, reflection, zero);
}

K_TEMPLATE
vf v_digamma(vf x)
{
    const vf zero = {0}, infinite = v_all(INFINITY), near = v_clamp(x, -0x1p30f, 0x1p30f);
    const v_mask whole = v_equal(v_by_doubles(vd_round, near), near);
    vf value = v_if(v_less(x, infinite), v_by_doubles(wide_digamma, x), x);
    value = v_if(v_less(x, zero) & whole, v_all(NAN), value);
    return v_if(v_equal(x, zero), v_copysign(infinite, -x), value);
}

#endif
