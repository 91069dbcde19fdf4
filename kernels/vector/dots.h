/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of small integers within the lanes of 32 bits, exact modulo 2^32: two integers of 16
 * bits to a lane, or four of 8 bits where the CPU multiplies those. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_DOTS_H
#define ACLNN_CPU_KERNELS_VECTOR_DOTS_H

#include "kernels/vector/integers.h"

/* Levels with quads. Where QUADS_BIAS is not 0 the first operand's bytes are unsigned. */
#if defined(K_ISA_avx512)
#define K_QUADS
enum { QUADS_BIAS = 128 };
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define K_QUADS
enum { QUADS_BIAS = 0 };
#else
enum { QUADS_BIAS = 0 };
#endif

K_TEMPLATE
vu v_load_u(const void *at)
{
    vu value;
    memcpy(&value, at, sizeof value);
    return value;
}

K_TEMPLATE
void v_store_u(void *at, vu value)
{
    memcpy(at, &value, sizeof value);
}

K_TEMPLATE
vu v_all_u(uint32_t word)
{
    return word - (vu){0};
}

/* 2 VL signed bytes as words of 16 bits. */
K_TEMPLATE
vu v_extend_bytes(const char *from)
{
#if defined(K_ISA_avx512)
    return (vu)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)from));
#elif defined(K_ISA_avx2)
    return (vu)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)from));
#elif defined(__SSE2__)
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return (vu)_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
#else
    typedef int8_t bytes __attribute__((vector_size(2 * VL)));
    typedef int16_t words __attribute__((vector_size(4 * VL)));
    bytes value;
    memcpy(&value, from, sizeof value);
    return (vu) __builtin_convertvector(value, words);
#endif
}

/* sum + the dot product of each lane's two words of 16 bits */
K_TEMPLATE
vu v_dot_pairs(vu a, vu b, vu sum)
{
#if defined(K_ISA_avx512)
    return sum + (vu)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(K_ISA_avx2)
    return sum + (vu)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return sum + (vu)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    const vi low_a = (vi)(a << 16) >> 16, low_b = (vi)(b << 16) >> 16;
    return sum + (vu)(low_a * low_b) + (vu)(((vi)a >> 16) * ((vi)b >> 16));
#endif
}

#if defined(K_QUADS)
/* sum + the dot product of each lane's four bytes. On the level avx512 only where the CPU has the
 * instruction (k_dots_int8): in assembly, as templates that reach it must not carry the target. */
K_TEMPLATE
vu v_dot_quads(vu a, vu b, vu sum)
{
#if defined(K_ISA_avx512)
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#elif defined(__ARM_FEATURE_DOTPROD)
    return (vu)vdotq_s32((int32x4_t)sum, (int8x16_t)a, (int8x16_t)b);
#else
    const int16x8_t low = vmull_s8(vget_low_s8((int8x16_t)a), vget_low_s8((int8x16_t)b));
    const int16x8_t high = vmull_high_s8((int8x16_t)a, (int8x16_t)b);
    return sum + (vu)vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high));
#endif
}
#endif

#endif
