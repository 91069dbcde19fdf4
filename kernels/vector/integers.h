/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of small integers: BOOL and integers of 8 and 16 bits as 32 bits, and back. Left to
 * itself, GCC does that by halves, in several instructions for each. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_INTEGERS_H
#define ACLNN_CPU_KERNELS_VECTOR_INTEGERS_H

#include "kernels/vector/simd.h"

typedef int8_t vb_signed __attribute__((vector_size(VL)));
typedef uint8_t vb __attribute__((vector_size(VL)));
typedef int16_t vh_signed __attribute__((vector_size(VL * 2)));

/* VL bytes. */
K_TEMPLATE
vi v_from_bytes(bool is_signed, const char *from)
{
#if defined(K_ISA_avx512)
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    return (vi)(is_signed ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes));
#elif defined(K_ISA_avx2)
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return (vi)(is_signed ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes));
#else
    vb bytes;
    memcpy(&bytes, from, sizeof bytes);
    return is_signed ? __builtin_convertvector((vb_signed)bytes, vi)
                     : __builtin_convertvector(bytes, vi);
#endif
}

/* VL words of 16 bits. */
K_TEMPLATE
vi v_from_words(bool is_signed, const char *from)
{
    vh words;
    memcpy(&words, from, sizeof words);
#if defined(K_ISA_avx512)
    return (vi)(is_signed ? _mm512_cvtepi16_epi32((__m256i)words)
                          : _mm512_cvtepu16_epi32((__m256i)words));
#elif defined(K_ISA_avx2)
    return (vi)(is_signed ? _mm256_cvtepi16_epi32((__m128i)words)
                          : _mm256_cvtepu16_epi32((__m128i)words));
#else
    return is_signed ? __builtin_convertvector((vh_signed)words, vi)
                     : __builtin_convertvector(words, vi);
#endif
}

/* The low bytes of each lane. */
K_TEMPLATE
void v_to_bytes(char *to, vi value)
{
#if defined(K_ISA_avx512)
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8((__m512i)value));
#elif defined(K_ISA_avx2)
    const __m256i low = _mm256_shuffle_epi8(
        (__m256i)value, _mm256_set_epi32(-1, -1, -1, 0x0c080400, -1, -1, -1, 0x0c080400));
    const __m256i bytes =
        _mm256_permutevar8x32_epi32(low, _mm256_set_epi32(1, 1, 1, 1, 1, 1, 4, 0));
    _mm_storel_epi64((__m128i *)(void *)to, _mm256_castsi256_si128(bytes));
#else
    const vb bytes = __builtin_convertvector((vu)value, vb);
    memcpy(to, &bytes, sizeof bytes);
#endif
}

K_TEMPLATE
void v_to_words(char *to, vi value)
{
#if defined(K_ISA_avx512)
    const vh words = (vh)_mm512_cvtepi32_epi16((__m512i)value);
#elif defined(K_ISA_avx2)
    const __m256i low =
        _mm256_shuffle_epi8((__m256i)value, _mm256_set_epi32(-1, -1, 0x0d0c0908, 0x05040100, -1, -1,
                                                             0x0d0c0908, 0x05040100));
    const vh words = (vh)_mm256_castsi256_si128(_mm256_permute4x64_epi64(low, 0x08));
#else
    const vh words = __builtin_convertvector((vu)value, vh);
#endif
    memcpy(to, &words, sizeof words);
}

/* The nearest whole numbers between -128 and 127, 0 from a NaN. */
K_TEMPLATE
vi v_nearest_byte(vf value)
{
    const vf magic = v_all(0x1.8p23F), low = v_all(-128), high = v_all(127);
    const vi is_number = (vi)(value == value), below = (vi)(value < low);
    const vi above = (vi)(value > high);
    const vi some = (below & (vi)low) | (above & (vi)high) | (~below & ~above & (vi)value);
    return (vi)((vf)(some & is_number) + magic) - (vi)magic;
}

/* ---- VL elements of a type of at most 16 bits ---- */

K_TEMPLATE
vi v_load_integers(enum k_dtype dt, const char *from)
{
    if (dt == K_I16 || dt == K_U16) return v_from_words(dt == K_I16, from);
    const vi value = v_from_bytes(dt == K_I8, from);
    return dt == K_BOOL ? (value != 0) & 1 : value;
}

/* The low bytes; of BOOL whether it is not 0. */
K_TEMPLATE
void v_store_integers(enum k_dtype dt, char *to, vi value)
{
    if (dt == K_I16 || dt == K_U16)
        v_to_words(to, value);
    else
        v_to_bytes(to, dt == K_BOOL ? (value != 0) & 1 : value);
}

#endif
