/* SPDX-License-Identifier: Apache-2.0 */
/* GELU: by the normal distribution in f32 throughout, where products are fused with sums (x^2 / 2
 * needs it), else in double. Polynomials are sums of short ones, so that operations wait little for
 * each other. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_NORMAL_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_NORMAL_H

#include <math.h>

#include "kernels/vector/math_erf.h"
#include "kernels/vector/math_single.h"

/* e^y = 2^n (1 + less_one), sum = n + V_ROUNDING. */
struct v_power {
    vf sum, less_one;
};

#define V_ROUNDING 0x1.8p23F

/* value 2^n, rounded once where it is below the normal numbers; -252 <= n <= 127. */
K_TEMPLATE
vf v_scale(vf value, vf sum)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_scalef_ps((__m512)value, (__m512)(sum - V_ROUNDING));
#else
    /* Two normal powers of 2; V_ROUNDING's bits are 0x4b400000. */
    const vu exponents = (vu)sum - (0x4b400000 - 2 * 127), half = exponents >> 1;
    return value * (vf)(half << 23) * (vf)((exponents - half) << 23);
#endif
}

/* e^(a b) for -120 <= a b <= 0; where products are fused with sums a b is not rounded. */
K_TEMPLATE
struct v_power v_decay_parts(vf a, vf b)
{
    static const float c[] = {5.0000001201e-1F, 1.6666665459e-1F, 4.1665795894e-2F,
                              8.3334519073e-3F, 1.3981999507e-3F, 1.9875691500e-4F};
    const vf sum = v_fma(a * b, v_all(0x1.715476p+0F), v_all(V_ROUNDING)), n = sum - V_ROUNDING;
    /* n times log(2)'s first 14 bits is exact. */
    const vf r = v_fma(n, v_all(-0x1.7f7d1cp-20F), v_fma(a, b, n * -0x1.62e4p-1F)), square = r * r;
    const vf low = v_fma(r, v_all(c[1]), v_all(c[0])), middle = v_fma(r, v_all(c[3]), v_all(c[2]));
    const vf high = v_fma(r, v_all(c[5]), v_all(c[4]));
    const vf p = v_fma(v_fma(high, square, middle), square, low);
    return (struct v_power){sum, v_fma(p, square, r)};
}

/* The same as a number, subnormal numbers too. */
K_TEMPLATE
vf v_decay(vf a, vf b)
{
    const struct v_power power = v_decay_parts(a, b);
    return v_scale(power.less_one + 1, power.sum);
}

/* The normal distribution's integral up to -t, less its factor e^(-t^2 / 2), times t + 4, where u =
 * 1 - 2.5 t / (t + 4): to 2^-26.5 for 0 <= t <= 15. The first coefficient comes last, so that sums
 * above 1 are rounded once. */
K_TEMPLATE
vf v_normal_tail(vf u)
{
    static const float p[] = {0x1.c9b2a0p-1F,  0x1.426780p-1F,  0x1.50e432p-2F,   0x1.f17762p-4F,
                              0x1.b6f0acp-6F,  0x1.68b500p-11F, -0x1.7478ecp-10F, -0x1.e1e4bcp-13F,
                              0x1.24e29cp-14F, 0x1.2e2a56p-16F};
    const vf square = u * u, fourth = square * square;
    vf sum[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        sum[i] = v_fma(u, v_all(p[2 * i + 2]), v_all(p[2 * i + 1]));
    const vf high = v_fma(fourth, v_all(p[9]), v_fma(sum[3], square, sum[2]));
    const vf low = v_fma(sum[1], square, sum[0]);
    return v_fma(v_fma(high, fourth, low), u, v_all(p[0]));
}

K_TEMPLATE
vd wide_gelu(vd x)
{
    return 0.5 * x * wide_erfc(x * -0x1.6a09e667f3bcdp-1);
}

/* x times the integral up to x; -infinity gives NaN. is_close: within 4 ULP, else 5. */
K_TEMPLATE
vf v_gelu_single(vf x, bool is_close)
{
#if defined(K_ISA_avx512) || defined(K_ISA_avx2) || (defined(__ARM_NEON) && defined(__aarch64__))
    const vf t = v_at_most(v_abs(x), 15), s = t + 4, v = t / s;
    const vf tail = v_normal_tail(v_fma(v, v_all(-2.5F), v_all(1))), m = v * tail;
    const struct v_power decay = v_decay_parts(t * -0.5F, t);
    vf part = v_fma(decay.less_one, m, m);
    if (is_close) {
        /* t = (t + 4) v + left; what m then lacks, by its slope, and its own rounding. */
        const vf left = v_fma(s - 4 - t, v, v_fma(-s, v, t));
        const vf slope = v_fma(tail, v_all(0.4714F), v_all(-0.2357F)); /* its root, within 7 % */
        const vf lacks = v_fma(left * slope, slope, v_fma(v, tail, -m));
        part = m + v_fma(decay.less_one, m, lacks);
    }
    /* 2^n comes last: what it is multiplied with is a normal number. */
    const vf below = v_scale(part, decay.sum);
    return v_if(v_less(x, v_all(0)), v_fma(x, v_all(0), -below), x - below);
#else
    (void)is_close;
    return v_by_doubles(wide_gelu, x);
#endif
}

K_TEMPLATE
vf v_gelu(vf x)
{
    return v_gelu_single(x, true);
}

/* GELU's derivative: the integral up to x and x times the density. */
K_TEMPLATE
vd wide_gelu_slope(vd x)
{
    const double root_half = 0x1.6a09e667f3bcdp-1, density = 0x1.9884533d43651p-2;
    return 0.5 * wide_erfc(x * -root_half) + x * (density * wide_exp(x * x * -0.5));
}

/* In f32 throughout: within 5 x 2^-24 of the magnitude of both, or 2^-20 where a b is rounded. */
K_TEMPLATE
vf v_gelu_slope_single(vf x)
{
    const vf size = v_abs(x), t = v_at_most(size, 15), r = 1 / (t + 4);
    const vf tail = r * v_normal_tail(v_fma(t * r, v_all(-2.5F), v_all(1)));
    const v_mask is_negative = v_less(x, v_all(0));
    const vf near = v_fma(x, v_all(0x1.988454p-2F), v_if(is_negative, tail, -tail));
    /* Where doubles are 0, too, it is not -0; infinities give NaN. */
    const vf rest = v_if(v_less(v_all(38.5F), size), x * v_all(-0.0F), near);
    const struct v_power decay = v_decay_parts(t * -0.5F, t);
    const vf slope = v_scale(v_fma(decay.less_one, rest, rest), decay.sum);
    return v_if(is_negative, slope, 1 + slope);
}

K_TEMPLATE
vf v_gelu_slope(vf x)
{
#if defined(K_ISA_avx512) || defined(K_ISA_avx2) || (defined(__ARM_NEON) && defined(__aarch64__))
    return v_gelu_slope_single(x);
#else
    return v_by_doubles(wide_gelu_slope, x);
#endif
}

#endif
