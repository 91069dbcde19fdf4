/* SPDX-License-Identifier: Apache-2.0 */
/* What vector math is made of: masks and selection, and vectors of doubles (vd: VL / 2 of them).
 * Every f32 function of math.h is evaluated in double and rounded once, see math.h. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_MATH_DOUBLE_H
#define ACLNN_CPU_KERNELS_VECTOR_MATH_DOUBLE_H

#include <math.h>

#include "kernels/vector/lanes.h"

typedef double vd __attribute__((vector_size(K_VECTOR_BYTES)));
typedef int64_t vl __attribute__((vector_size(K_VECTOR_BYTES)));
typedef uint64_t vul __attribute__((vector_size(K_VECTOR_BYTES)));

/* ---- masks: the result of a comparison; & | ~ work on them ---- */

#if defined(K_ISA_avx512)
typedef __mmask16 v_mask;
typedef __mmask8 vd_mask;
#define COMPARE(a, b, as, operator)   _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), as)
#define COMPARE_D(a, b, as, operator) _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), as)
#else
typedef vi v_mask;
typedef vl vd_mask;
#define COMPARE(a, b, as, operator)   ((a) operator(b))
#define COMPARE_D(a, b, as, operator) ((a) operator(b))
#endif

/* Comparisons with a NaN are false. */
K_TEMPLATE
v_mask v_less(vf a, vf b)
{
    return COMPARE(a, b, _CMP_LT_OQ, <);
}

K_TEMPLATE
v_mask v_less_equal(vf a, vf b)
{
    return COMPARE(a, b, _CMP_LE_OQ, <=);
}

K_TEMPLATE
v_mask v_equal(vf a, vf b)
{
    return COMPARE(a, b, _CMP_EQ_OQ, ==);
}

K_TEMPLATE
vd_mask vd_less(vd a, vd b)
{
    return COMPARE_D(a, b, _CMP_LT_OQ, <);
}

K_TEMPLATE
vd_mask vd_equal(vd a, vd b)
{
    return COMPARE_D(a, b, _CMP_EQ_OQ, ==);
}
#undef COMPARE
#undef COMPARE_D

/* The sign bit. */
K_TEMPLATE
vd_mask vd_negative(vd x)
{
#if defined(K_ISA_avx512)
    return _mm512_movepi64_mask((__m512i)x);
#elif defined(K_ISA_avx2)
    return (vl)x; /* vd_if looks at this bit alone */
#else
    return (vl)x < 0;
#endif
}

/* mask ? a : b */
K_TEMPLATE
vf v_if(v_mask mask, vf a, vf b)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_mask_blend_ps(mask, (__m512)b, (__m512)a);
#elif defined(K_ISA_avx2)
    return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return (vf)((mask & (vi)a) | (~mask & (vi)b));
#endif
}

K_TEMPLATE
vd vd_if(vd_mask mask, vd a, vd b)
{
#if defined(K_ISA_avx512)
    return (vd)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a);
#elif defined(K_ISA_avx2)
    return (vd)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (vd)((mask & (vl)a) | (~mask & (vl)b));
#endif
}

/* The lanes of a mask as bits of a number. */
K_TEMPLATE
unsigned v_mask_bits(v_mask mask)
{
#if defined(K_ISA_avx512)
    return mask;
#elif defined(K_ISA_avx2)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    unsigned bits = 0;
    for (int i = 0; i < VL; i++)
        bits |= (unsigned)(mask[i] & 1) << i;
    return bits;
#endif
}

K_TEMPLATE
bool vd_any(vd_mask mask)
{
#if defined(K_ISA_avx512)
    return mask != 0;
#elif defined(K_ISA_avx2)
    return _mm256_movemask_pd((__m256d)mask) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_pd((__m128d)mask) != 0;
#else
    return v_mask_bits((v_mask)mask) != 0;
#endif
}

/* ---- signs ---- */

K_TEMPLATE
vf v_abs(vf x)
{
    return (vf)((vu)x & 0x7fffffff);
}

/* x with the sign of `sign`. */
K_TEMPLATE
vf v_copysign(vf x, vf sign)
{
    return (vf)(((vu)x & 0x7fffffff) | ((vu)sign & 0x80000000));
}

K_TEMPLATE
vd vd_abs(vd x)
{
    return (vd)((vul)x & 0x7fffffffffffffff);
}

K_TEMPLATE
vd vd_copysign(vd x, vd sign)
{
    return (vd)(((vul)x & 0x7fffffffffffffff) | ((vul)sign & 0x8000000000000000));
}

/* ---- arithmetic ---- */

K_TEMPLATE
vd vd_all(double value)
{
    return value - (vd){0};
}

/* The smaller of x and a bound that is no NaN; a NaN x stays. */
K_TEMPLATE
vd vd_at_most(vd x, double bound)
{
#if defined(K_ISA_avx512)
    return (vd)_mm512_min_pd(_mm512_set1_pd(bound), (__m512d)x);
#elif defined(K_ISA_avx2)
    return (vd)_mm256_min_pd(_mm256_set1_pd(bound), (__m256d)x);
#else
    return vd_if(vd_less(vd_all(bound), x), vd_all(bound), x);
#endif
}

K_TEMPLATE
vd vd_at_least(vd x, double bound)
{
#if defined(K_ISA_avx512)
    return (vd)_mm512_max_pd(_mm512_set1_pd(bound), (__m512d)x);
#elif defined(K_ISA_avx2)
    return (vd)_mm256_max_pd(_mm256_set1_pd(bound), (__m256d)x);
#else
    return vd_if(vd_less(x, vd_all(bound)), vd_all(bound), x);
#endif
}

/* The smaller of x and a bound; a NaN stays. */
K_TEMPLATE
vf v_at_most(vf x, float bound)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_min_ps(_mm512_set1_ps(bound), (__m512)x);
#elif defined(K_ISA_avx2)
    return (vf)_mm256_min_ps(_mm256_set1_ps(bound), (__m256)x);
#else
    return v_if(v_less(v_all(bound), x), v_all(bound), x);
#endif
}

/* x between two bounds; a NaN stays. */
K_TEMPLATE
vf v_clamp(vf x, float low, float high)
{
#if defined(K_ISA_avx512)
    const __m512 above = _mm512_max_ps(_mm512_set1_ps(low), (__m512)x);
    return (vf)_mm512_min_ps(_mm512_set1_ps(high), above);
#elif defined(K_ISA_avx2)
    const __m256 above = _mm256_max_ps(_mm256_set1_ps(low), (__m256)x);
    return (vf)_mm256_min_ps(_mm256_set1_ps(high), above);
#else
    const vf above = v_if(v_less(x, v_all(low)), v_all(low), x);
    return v_if(v_less(v_all(high), above), v_all(high), above);
#endif
}

/* a * b + c, fused where the level has it. */
K_TEMPLATE
vd vd_fma(vd a, vd b, vd c)
{
#if defined(K_ISA_avx512)
    return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(K_ISA_avx2)
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}

K_TEMPLATE
vd vd_sqrt(vd x)
{
#if defined(K_ISA_avx512)
    return (vd)_mm512_sqrt_pd((__m512d)x);
#elif defined(K_ISA_avx2)
    return (vd)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    return (vd)_mm_sqrt_pd((__m128d)x);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vd)vsqrtq_f64((float64x2_t)x);
#else
    for (int i = 0; i < VL / 2; i++)
        x[i] = sqrt(x[i]);
    return x;
#endif
}

/* c[0] + c[1] x + ... + c[degree] x^degree; degree is a constant below 20. */
K_TEMPLATE
vd vd_polynomial(vd x, int degree, const double c[])
{
    vd sum = vd_all(c[degree]);
#ifdef __clang__
#pragma unroll
#else
#pragma GCC unroll 20
#endif
    for (int i = degree - 1; i >= 0; i--)
        sum = vd_fma(sum, x, vd_all(c[i]));
    return sum;
}

#define WIDE_PI 0x1.921fb54442d18p+1

/* Adding it rounds |x| < 2^51 to an integer, ties to even, whose low bits are those of the sum. */
#define WIDE_ROUNDING 0x1.8p52

K_TEMPLATE
vd vd_round(vd x)
{
    return x + WIDE_ROUNDING - WIDE_ROUNDING;
}

/* ---- from float and back ---- */

/* Lanes 0 to VL / 2 - 1, or (half 1) the others; exact. */
K_TEMPLATE
vd vd_widen(int half, vf x)
{
#if defined(K_ISA_avx512)
    return (vd)_mm512_cvtps_pd(half == 0 ? _mm512_castps512_ps256((__m512)x)
                                         : _mm512_extractf32x8_ps((__m512)x, 1));
#elif defined(K_ISA_avx2)
    return (vd)_mm256_cvtps_pd(half == 0 ? _mm256_castps256_ps128((__m256)x)
                                         : _mm256_extractf128_ps((__m256)x, 1));
#elif defined(__SSE2__)
    return (vd)_mm_cvtps_pd(half == 0 ? (__m128)x : _mm_movehl_ps((__m128)x, (__m128)x));
#else
    typedef float part __attribute__((vector_size(K_VECTOR_BYTES / 2)));
    part parts[2];
    memcpy(parts, &x, sizeof parts);
    return __builtin_convertvector(parts[half], vd);
#endif
}

/* Nearest even; what is too large becomes infinite. */
K_TEMPLATE
vf v_narrow(vd low, vd high)
{
#if defined(K_ISA_avx512)
    const __m512 first = _mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)low));
    return (vf)_mm512_insertf32x8(first, _mm512_cvtpd_ps((__m512d)high), 1);
#elif defined(K_ISA_avx2)
    return (vf)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)high), _mm256_cvtpd_ps((__m256d)low));
#elif defined(__SSE2__)
    return (vf)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)low), _mm_cvtpd_ps((__m128d)high));
#else
    typedef float part __attribute__((vector_size(K_VECTOR_BYTES / 2)));
    const part parts[2] = {__builtin_convertvector(low, part), __builtin_convertvector(high, part)};
    vf x;
    memcpy(&x, parts, sizeof x);
    return x;
#endif
}

/* f in double of every lane. */
K_TEMPLATE
vf v_by_doubles(vd (*f)(vd), vf x)
{
    return v_narrow(f(vd_widen(0, x)), f(vd_widen(1, x)));
}

K_TEMPLATE
vf v_by_doubles_2(vd (*f)(vd, vd), vf x, vf y)
{
    return v_narrow(f(vd_widen(0, x), vd_widen(0, y)), f(vd_widen(1, x), vd_widen(1, y)));
}

#endif
