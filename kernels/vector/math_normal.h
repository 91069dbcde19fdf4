/* SPDX-License-Identifier: Apache-2.0 */
/* GELU: by the normal distribution in f32 throughout, where products are fused with sums (x^2 / 2
 * needs it), else in double. Polynomials are sums of short ones, so that operations wait little for
 * each other. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_NORMAL_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_NORMAL_H

#include <math.h>

#include "kernels/vector/math_erf.h"
#include "kernels/vector/math_single.h"

/* value 2^n for a whole number n, rounded once where it is below the normal numbers; -252 <= n
 * <= 127. */
K_TEMPLATE
vf v_scale(vf value, vf n)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_scalef_ps((__m512)value, (__m512)n);
#else
    const vf rounding = v_all(0x1.8p23F);
    const vi exponent = (vi)(n + rounding) - (vi)rounding, half = exponent >> 1;
    const vf first = (vf)((vu)(half + 127) << 23), second = (vf)((vu)(exponent - half + 127) << 23);
    return value * first * second;
#endif
}

/* e^(x + rest) for -120 <= x <= 0 and a small rest, subnormal numbers too. */
K_TEMPLATE
vf v_decay(vf x, vf rest)
{
    static const float c[] = {5.0000001201e-1F, 1.6666665459e-1F, 4.1665795894e-2F,
                              8.3334519073e-3F, 1.3981999507e-3F, 1.9875691500e-4F};
    const vf rounding = v_all(0x1.8p23F);
    const vf n = v_fma(x, v_all(0x1.715476p+0F), rounding) - rounding;
    const vf r = v_exp_rest(x, n) + rest, square = r * r;
    const vf low = v_fma(r, v_all(c[1]), v_all(c[0])), middle = v_fma(r, v_all(c[3]), v_all(c[2]));
    const vf high = v_fma(r, v_all(c[5]), v_all(c[4]));
    const vf p = v_fma(v_fma(high, square, middle), square, low);
    return v_scale(v_fma(p, square, r) + 1, n);
}

/* e^(-x^2 / 2), and what it is multiplied with to be the normal distribution's integral up to -|x|.
 */
struct v_normal {
    vf decay, tail;
};

/* tail = r p(r), r = 1 / (|x| + 4): p to 2^-26 where |x| < 14.6. */
K_TEMPLATE
struct v_normal v_normal(vf x)
{
    static const float p[] = {
        0.90590735F,      0.630122625F,     0.3233858145F,     0.1166307985F,    0.02488346715F,
        0.0004779527455F, -0.001294261425F, -0.0001913564635F, 0.0000626474825F, 0.0000149822964F};
    const vf t = v_clamp(v_abs(x), 0, 15), half = t * -0.5F, h = half * t;
    const vf r = 1 / (t + 4), u = v_fma(r, v_all(10.1917808F), v_all(-1.54794521F));
    const vf square = u * u, fourth = square * square;
    vf sum[5];
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        sum[i] = v_fma(u, v_all(p[2 * i + 1]), v_all(p[2 * i]));
    const vf high = v_fma(sum[4], fourth, v_fma(sum[3], square, sum[2]));
    const vf all = v_fma(high, fourth, v_fma(sum[1], square, sum[0]));
    return (struct v_normal){v_decay(h, v_fma(half, t, -h)), r * all};
}

K_TEMPLATE
vd wide_gelu(vd x)
{
    return 0.5 * x * wide_erfc(x * -0x1.6a09e667f3bcdp-1);
}

K_TEMPLATE
vf v_gelu(vf x)
{
#if defined(K_ISA_avx512) || defined(K_ISA_avx2) || (defined(__ARM_NEON) && defined(__aarch64__))
    const struct v_normal normal = v_normal(x);
    /* decay * tail may be below the normal numbers where x times it is not. */
    const vf below = normal.decay * (x * normal.tail);
    const vf above = v_fma(-(normal.decay * normal.tail), v_clamp(v_abs(x), 0, 15), x);
    return v_if(v_less(x, v_all(0)), below, above);
#else
    return v_by_doubles(wide_gelu, x);
#endif
}

#endif
