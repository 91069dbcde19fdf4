/* SPDX-License-Identifier: Apache-2.0 */
/* exp and what it gives: see math.h. wide_ functions compute in double, with a relative error of
 * about 2^-30 unless said otherwise. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_EXP_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_EXP_H

#include "kernels/vector/math_double.h"

#define WIDE_LN2       0x1.62e42fefa39efp-1
#define WIDE_LOG2_OF_E 0x1.71547652b82fep+0
/* Beyond them exp in double is exactly 0, and infinite: scale is made of the exponents 0 and 0x7ff.
 */
#define WIDE_EXP_LOW   -709.3
#define WIDE_EXP_HIGH  709.9
#define WIDE_EXP2_LOW  -1023.0
#define WIDE_EXP2_HIGH 1024.0

/* 2^n and e^r - 1, n an integer, |r| <= ln(2) / 2. */
struct wide_power {
    vd scale, less_one;
};

/* sum: n + WIDE_ROUNDING */
K_TEMPLATE
struct wide_power wide_power_of(vd sum, vd r)
{
    /* (e^r - 1) / r, relative error 2^-32.0 */
    static const double c[] = {1.000000000031219,     0.5000000046679686,   0.1666666624941824,
                               0.04166635432587527,   0.008333402918263125, 0.0013941015302178178,
                               0.00019841254999472668};
    return (struct wide_power){(vd)(((vul)sum << 52) + 0x3ff0000000000000),
                               r * vd_polynomial(r, 6, c)};
}

/* e^x = scale * (1 + less_one), WIDE_EXP_LOW <= x <= WIDE_EXP_HIGH */
K_TEMPLATE
struct wide_power wide_exp_parts(vd x)
{
    const vd sum = vd_fma(x, vd_all(WIDE_LOG2_OF_E), vd_all(WIDE_ROUNDING));
    return wide_power_of(sum, vd_fma(sum - WIDE_ROUNDING, vd_all(-WIDE_LN2), x));
}

/* WIDE_EXP_LOW <= x <= WIDE_EXP_HIGH */
K_TEMPLATE
vd wide_exp(vd x)
{
    const struct wide_power p = wide_exp_parts(x);
    return p.scale * (1 + p.less_one);
}

/* WIDE_EXP2_LOW <= x <= WIDE_EXP2_HIGH */
K_TEMPLATE
vd wide_exp2(vd x)
{
    const vd sum = x + WIDE_ROUNDING;
    const struct wide_power p = wide_power_of(sum, (x - (sum - WIDE_ROUNDING)) * WIDE_LN2);
    return p.scale * (1 + p.less_one);
}

/* |x| <= 700; +0 of -0 */
K_TEMPLATE
vd wide_expm1(vd x)
{
    const struct wide_power p = wide_exp_parts(x);
    return vd_fma(p.scale, p.less_one, p.scale - 1);
}

K_TEMPLATE
vf v_exp(vf x)
{
    return v_by_doubles(wide_exp, v_clamp(x, (float)WIDE_EXP_LOW, (float)WIDE_EXP_HIGH));
}

K_TEMPLATE
vf v_exp2(vf x)
{
    return v_by_doubles(wide_exp2, v_clamp(x, (float)WIDE_EXP2_LOW, (float)WIDE_EXP2_HIGH));
}

K_TEMPLATE
vf v_expm1(vf x)
{
    return v_copysign(v_by_doubles(wide_expm1, v_clamp(x, -100, 100)), x);
}

/* ---- hyperbolic ---- */

K_TEMPLATE
vd wide_sinh(vd x)
{
    const vd m = wide_expm1(x);
    return 0.5 * (m + m / (m + 1));
}

K_TEMPLATE
vd wide_cosh(vd x)
{
    const vd e = wide_exp(x);
    return 0.5 * (e + 1 / e);
}

/* |x| <= 9.05, from where on the result is 1 in f32 */
K_TEMPLATE
vd wide_tanh(vd x)
{
    /* tanh(x) / x = p / q of x^2, relative error 2^-29.9 */
    static const double p[] = {0.9999999990079803, 0.13783658011606173, 0.0040063338225226255,
                               3.154169968312608e-05, 5.059547695676216e-08};
    static const double q[] = {1.0,
                               0.4711699037638886,
                               0.027729650821231366,
                               0.0004203472413925258,
                               1.6138101418385137e-06,
                               7.340833323584441e-10};
    const vd square = x * x;
    return x * vd_polynomial(square, 4, p) / vd_polynomial(square, 5, q);
}

K_TEMPLATE
vf v_sinh(vf x)
{
    return v_copysign(v_by_doubles(wide_sinh, v_clamp(v_abs(x), 0, 100)), x);
}

K_TEMPLATE
vf v_cosh(vf x)
{
    return v_by_doubles(wide_cosh, v_clamp(v_abs(x), 0, 100));
}

K_TEMPLATE
vf v_tanh(vf x)
{
    return v_by_doubles(wide_tanh, v_clamp(x, -9.05f, 9.05f));
}

/* ---- activations ---- */

K_TEMPLATE
vd wide_sigmoid_divisor(vd x)
{
    return 1 + wide_exp(vd_at_most(vd_at_least(-x, WIDE_EXP_LOW), WIDE_EXP_HIGH));
}

K_TEMPLATE
vd wide_sigmoid(vd x)
{
    return 1 / wide_sigmoid_divisor(x);
}

K_TEMPLATE
vd wide_silu(vd x)
{
    return x / wide_sigmoid_divisor(x);
}

/* x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3) */
K_TEMPLATE
vd wide_gelu_tanh(vd x)
{
    const double twice = 2 * 0x1.9884533d43651p-1;
    const vd factor = vd_fma(x * x, vd_all(0.044715 * twice), vd_all(twice));
    return x / wide_sigmoid_divisor(x * factor);
}

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|) */
K_TEMPLATE
vd wide_softplus(vd x)
{
    /* log(1 + e) / e where 0 <= e <= 1, relative error 2^-30.3 */
    static const double c[] = {0.999999999256837,     -0.49999981433681123, 0.3333255962806675,
                               -0.24987270919235263,  0.19890748098567826,  -0.16105692996133503,
                               0.12418439430597673,   -0.0824417990122503,  0.0414782656361524,
                               -0.013407547628365539, 0.00203024474086946};
    const vd e = wide_exp(vd_at_least(-vd_abs(x), WIDE_EXP_LOW));
    return vd_fma(e, vd_polynomial(e, 10, c), vd_at_least(x, 0));
}

/* tanh(log(1 + e^x)) = (e^2x + 2 e^x) / (e^2x + 2 e^x + 2); 1 from x = 20 on */
K_TEMPLATE
vd wide_tanh_softplus(vd x)
{
    const vd e = wide_exp(vd_at_most(vd_at_least(x, WIDE_EXP_LOW), 40)), m = e * (e + 2);
    return m / (m + 2);
}

K_TEMPLATE
vd wide_mish(vd x)
{
    return x * wide_tanh_softplus(x);
}

K_TEMPLATE
vf v_sigmoid(vf x)
{
    return v_by_doubles(wide_sigmoid, x);
}

K_TEMPLATE
vf v_silu(vf x)
{
    return v_by_doubles(wide_silu, x);
}

K_TEMPLATE
vf v_gelu_tanh(vf x)
{
    return v_by_doubles(wide_gelu_tanh, x);
}

K_TEMPLATE
vf v_softplus(vf x)
{
    return v_by_doubles(wide_softplus, x);
}

K_TEMPLATE
vf v_tanh_softplus(vf x)
{
    return v_by_doubles(wide_tanh_softplus, x);
}

K_TEMPLATE
vf v_mish(vf x)
{
    return v_by_doubles(wide_mish, x);
}

#endif
