/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies whose results are rounded to a half type: in f32 throughout, within 2^-20 of the value,
 * where those of f32 take doubles to be within 2^-24. */
#ifndef ACLNN_CPU_KERNELS_HALF_SINGLE_H
#define ACLNN_CPU_KERNELS_HALF_SINGLE_H

#include "kernels/vector/math_single.h"

/* e^-(h + rest) for h >= 0 and a small rest, subnormal numbers too. */
K_TEMPLATE
vf single_decay(vf h, vf rest)
{
    const vf x = -v_clamp(h, 0, 120), rounding = v_all(0x1.8p23F);
    const vf sum = v_fma(x, v_all(0x1.715476p+0F), rounding);
    const vf value = v_exp_near_zero(v_exp_rest(x, sum - rounding) - rest);
    /* 2^n in two steps: it may be below the normal numbers. */
    const vi exponent = (vi)sum - (vi)rounding, half = exponent >> 1;
    const vf first = (vf)((vu)(half + 127) << 23), second = (vf)((vu)(exponent - half + 127) << 23);
    return value * first * second;
}

/* e^(-x^2 / 2), and what it is multiplied with to be the normal distribution's integral up to -|x|.
 */
struct single_normal {
    vf decay, tail;
};

/* tail = r p(r) / 2, r = 1 / (|x| + 4): p to 2^-26 where |x| < 14.6. */
K_TEMPLATE
struct single_normal single_normal(vf x)
{
    static const float p[] = {1.8118147F,      1.26024525F,     0.646771629F,    0.233261597F,
                              0.0497669343F,   0.000955905491F, -0.00258852285F, -0.000382712927F,
                              0.000125294965F, 2.99645928e-05F};
    const vf t = v_clamp(v_abs(x), 0, 15), half = t * 0.5F, h = half * t;
    const vf r = 1 / (t + 4), u = v_fma(r, v_all(10.1917808F), v_all(-1.54794521F));
    vf sum = v_all(p[9]);
#pragma GCC unroll 9
    for (int i = 8; i >= 0; i--)
        sum = v_fma(sum, u, v_all(p[i]));
    return (struct single_normal){single_decay(h, v_fma(half, t, -h)), 0.5F * r * sum};
}

K_TEMPLATE
void gelu_single_f32(vf *y, const vf *x, const vf *s)
{
    (void)s;
    const struct single_normal normal = single_normal(x[0]);
    const vf below = normal.decay * normal.tail;
    y[0] = x[0] * v_if(v_less(x[0], v_all(0)), below, 1 - below);
}

/* The integral and x times the density. */
K_TEMPLATE
void gelu_grad_single_f32(vf *y, const vf *x, const vf *s)
{
    (void)s;
    const float root = 0x1.988454p-2F; /* 1 / sqrt(2 pi) */
    const struct single_normal normal = single_normal(x[1]);
    const v_mask is_negative = v_less(x[1], v_all(0));
    const vf rest = x[1] * root + v_if(is_negative, normal.tail, -normal.tail);
    /* Where doubles are 0, too, it is not -0. */
    const v_mask is_far = v_less(x[1], v_all(-38.5F)) & v_less(v_all(-INFINITY), x[1]);
    const vf slope = normal.decay * v_if(is_far, v_all(0), rest);
    y[0] = x[0] * v_if(is_negative, slope, 1 + slope);
}

/* 1 / (1 + e^-x) and what is left of it to 1, none of them by a difference. */
struct single_sigmoids {
    vf value, rest;
};

K_TEMPLATE
struct single_sigmoids single_sigmoids(vf x)
{
    const vf decay = single_decay(v_abs(x), v_all(0)), large = 1 / (1 + decay),
             small = decay * large;
    const v_mask is_negative = v_less(x, v_all(0));
    return (struct single_sigmoids){v_if(is_negative, small, large),
                                    v_if(is_negative, large, small)};
}

K_TEMPLATE
void sigmoid_single_f32(vf *y, const vf *x, const vf *s)
{
    (void)s;
    y[0] = single_sigmoids(x[0]).value;
}

K_TEMPLATE
void silu_single_f32(vf *y, const vf *x, const vf *s)
{
    (void)s;
    y[0] = x[0] * single_sigmoids(x[0]).value;
}

#endif
