/* SPDX-License-Identifier: Apache-2.0 */
/* Roots, rounding, remainders: see math.h. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_ROUND_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_ROUND_H

#include "kernels/vector/math_double.h"

K_TEMPLATE
vf v_sqrt(vf x)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_sqrt_ps((__m512)x);
#elif defined(K_ISA_avx2)
    return (vf)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
    return (vf)_mm_sqrt_ps((__m128)x);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vf)vsqrtq_f32((float32x4_t)x);
#else
    return v_by_doubles(vd_sqrt, x);
#endif
}

K_TEMPLATE
vf v_rsqrt(vf x)
{
    return 1 / v_sqrt(x);
}

/* An infinite operand beats a NaN, as in C. */
K_TEMPLATE
vd wide_hypot(vd x, vd y)
{
    const vd infinite = vd_all(INFINITY), value = vd_sqrt(vd_fma(x, x, y * y));
    const vd_mask far = vd_equal(vd_abs(x), infinite) | vd_equal(vd_abs(y), infinite);
    return vd_if(far, infinite, value);
}

K_TEMPLATE
vf v_hypot(vf x, vf y)
{
    return v_by_doubles_2(wide_hypot, x, y);
}

/* ---- to an integer ---- */

enum v_direction { V_NEAREST, V_DOWN, V_UP, V_TO_ZERO };

K_TEMPLATE
vf v_to_integer(enum v_direction direction, vf x)
{
#if defined(K_ISA_avx512)
#define TO(mode) (vf) _mm512_roundscale_ps((__m512)x, (mode) | _MM_FROUND_NO_EXC)
#elif defined(K_ISA_avx2)
#define TO(mode) (vf) _mm256_round_ps((__m256)x, (mode) | _MM_FROUND_NO_EXC)
#endif
#if defined(TO)
    return direction == V_NEAREST ? TO(_MM_FROUND_TO_NEAREST_INT)
           : direction == V_DOWN  ? TO(_MM_FROUND_TO_NEG_INF)
           : direction == V_UP    ? TO(_MM_FROUND_TO_POS_INF)
                                  : TO(_MM_FROUND_TO_ZERO);
#undef TO
#elif defined(__ARM_NEON) && defined(__aarch64__)
    const float32x4_t value = (float32x4_t)x;
    return direction == V_NEAREST ? (vf)vrndnq_f32(value)
           : direction == V_DOWN  ? (vf)vrndmq_f32(value)
           : direction == V_UP    ? (vf)vrndpq_f32(value)
                                  : (vf)vrndq_f32(value);
#else
    /* Adding 2^23 rounds to nearest; one more step where that was the wrong way. */
    const vf a = v_abs(x), nearest = v_copysign(a + 0x1p23f - 0x1p23f, x), zero = {0};
    const vf one = v_all(1);
    vf value = nearest;
    if (direction == V_DOWN) value = nearest - v_if(v_less(x, nearest), one, zero);
    if (direction == V_UP) value = nearest + v_if(v_less(nearest, x), one, zero);
    if (direction == V_TO_ZERO)
        value = nearest - v_if(v_less(a, v_abs(nearest)), v_copysign(one, x), zero);
    return v_if(v_less(a, v_all(0x1p23f)), v_copysign(value, x), x);
#endif
}

K_TEMPLATE
vf v_round(vf x)
{
    return v_to_integer(V_NEAREST, x);
}

K_TEMPLATE
vf v_floor(vf x)
{
    return v_to_integer(V_DOWN, x);
}

K_TEMPLATE
vf v_ceil(vf x)
{
    return v_to_integer(V_UP, x);
}

K_TEMPLATE
vf v_trunc(vf x)
{
    return v_to_integer(V_TO_ZERO, x);
}

/* ---- remainders: exact ---- */

#define WIDE_FMOD_NEAR 0x1p28

/* |x| < WIDE_FMOD_NEAR |y|: the rounded quotient is off by one half or a little more, and its
 * product with y exact. */
K_TEMPLATE
vd wide_fmod(vd x, vd y)
{
    const vd a = vd_abs(x), b = vd_abs(y), zero = {0};
    vd r = a - vd_round(a / b) * b;
    r = vd_if(vd_less(r, zero), r + b, r);
    return vd_copysign(r, x);
}

/* Lanes whose quotient is larger, infinite or a NaN. */
__attribute__((noinline, unused)) static void v_fmod_far(unsigned lanes, const vf *x, const vf *y,
                                                         vf *value)
{
    for (int i = 0; i < VL; i++)
        if (lanes >> i & 1) (*value)[i] = fmodf((*x)[i], (*y)[i]);
}

K_TEMPLATE
vf v_fmod(vf x, vf y)
{
    vf value = v_by_doubles_2(wide_fmod, x, y);
    const v_mask near = v_less(v_abs(x) * (float)(1 / WIDE_FMOD_NEAR), v_abs(y)) &
                        v_less(v_abs(y), v_all(INFINITY));
    const unsigned far = ~v_mask_bits(near) & ((1U << VL) - 1);
    if (far) {
        vf some = value;
        v_fmod_far(far, &x, &y, &some);
        value = some;
    }
    return value;
}

/* With the sign of y, which is added where fmod has another one. */
K_TEMPLATE
vf v_remainder(vf x, vf y)
{
    const vf r = v_fmod(x, y), zero = {0};
    const v_mask below = v_less(r, zero) & v_less(zero, y),
                 above = v_less(zero, r) & v_less(y, zero);
    return v_if(below | above, r + y, r);
}

#endif
