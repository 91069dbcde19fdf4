/* SPDX-License-Identifier: Apache-2.0 */
/* Halves compared as whole numbers, 2 VL at once, nothing widened. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_KEYS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_KEYS_H

#include "kernels/vector/select.h"

typedef int16_t vk __attribute__((vector_size(K_VECTOR_BYTES)));

/* From the key of minus infinity, which is the least number, to that of its size in memory. */
K_TEMPLATE
int16_t key_offset(enum k_dtype dt)
{
    return dt == K_BF16 ? 0x80 : 0x400;
}

/* Whole numbers in the order of the halves, one for both zeros. Those of NaN, which would come
 * before minus infinity or behind infinity, wrap around: all are above infinity's. */
K_TEMPLATE
vk words_key(enum k_dtype dt, vw words)
{
    const int16_t offset = key_offset(dt);
#if defined(K_ISA_avx512)
    const __m512i bits = (__m512i)words;
    return (vk)_mm512_mask_sub_epi16((__m512i)(words - (uint16_t)offset),
                                     _mm512_movepi16_mask(bits),
                                     _mm512_set1_epi16((int16_t)(INT16_MAX - offset + 1)), bits);
#elif defined(K_ISA_avx2)
    const __m256i size = (__m256i)(words & 0x7fff);
    return (vk)((vw)_mm256_sign_epi16(size, (__m256i)words) - (uint16_t)offset);
#else
    const vw negative = (vw)((vk)words >> 15);
    return (vk)((words ^ negative) + ((negative & 0x8001) - (uint16_t)offset));
#endif
}

/* Which keys are those of a NaN? */
K_TEMPLATE
vi keys_of_nan(enum k_dtype dt, vk keys)
{
    const int16_t infinity = dt == K_BF16 ? 0x7f80 : 0x7c00;
    return (vi)(keys > (int16_t)(infinity - key_offset(dt)));
}

/* What stands at key, word and tap takes the place of the best where the key is greater. */
K_TEMPLATE
void words_take_greater(bool taps, vk *best, vw *word, vw *tap, vk key, vw value, vw code)
{
#if defined(K_ISA_avx512)
    const __m512i a = (__m512i)key, b = (__m512i)*best;
    const __mmask32 take = _mm512_cmpgt_epi16_mask(a, b);
    *best = (vk)_mm512_max_epi16(a, b);
    *word = (vw)_mm512_mask_mov_epi16((__m512i)*word, take, (__m512i)value);
    if (taps) *tap = (vw)_mm512_mask_mov_epi16((__m512i)*tap, take, (__m512i)code);
#elif defined(K_ISA_avx2)
    const __m256i a = (__m256i)key, b = (__m256i)*best, take = _mm256_cmpgt_epi16(a, b);
    *best = (vk)_mm256_max_epi16(a, b);
    *word = (vw)_mm256_blendv_epi8((__m256i)*word, (__m256i)value, take);
    if (taps) *tap = (vw)_mm256_blendv_epi8((__m256i)*tap, (__m256i)code, take);
#else
    const vw take = (vw)(key > *best);
    *best = (vk)((take & (vw)key) | (~take & (vw)*best));
    *word = (take & value) | (~take & *word);
    if (taps) *tap = (take & code) | (~take & *tap);
#endif
}

/* 2 VL words, or VL (part) and anything. */
K_TEMPLATE
vw words_at(bool part, const char *at)
{
    vw words;
    vh half;
    memcpy(&half, at, sizeof half);
    if (!part) memcpy(&words, at, sizeof words);
#if defined(K_ISA_avx512)
    if (part) words = (vw)_mm512_broadcast_i64x4((__m256i)half);
#elif defined(K_ISA_avx2)
    if (part) words = (vw)_mm256_broadcastsi128_si256((__m128i)half);
#else
    if (part) words = __builtin_shufflevector(half, half, 0, 1, 2, 3, 0, 1, 2, 3);
#endif
    return words;
}

/* All words, or the first VL of them (part). */
K_TEMPLATE
void words_put(bool part, char *at, vf words, bool stream)
{
    if (!part) {
        k_write(at, words, stream);
        return;
    }
#if defined(K_ISA_avx512)
    const __m256i half = _mm512_castsi512_si256((__m512i)words);
#elif defined(K_ISA_avx2)
    const __m128i half = _mm256_castsi256_si128((__m256i)words);
#else
    const vh half = __builtin_shufflevector((vw)words, (vw)words, 0, 1, 2, 3);
#endif
    memcpy(at, &half, sizeof half);
}

/* The first or the last half of the words, a lane each. */
K_TEMPLATE
vi words_lanes_of(int half, vw words)
{
#if defined(K_ISA_avx512)
    const __m512i all = (__m512i)words;
    return (vi)_mm512_cvtepu16_epi32(half == 0 ? _mm512_castsi512_si256(all)
                                               : _mm512_extracti64x4_epi64(all, 1));
#elif defined(K_ISA_avx2)
    const __m256i all = (__m256i)words;
    return (vi)_mm256_cvtepu16_epi32(half == 0 ? _mm256_castsi256_si128(all)
                                               : _mm256_extracti128_si256(all, 1));
#else
    return half == 0
               ? __builtin_convertvector(__builtin_shufflevector(words, words, 0, 1, 2, 3), vi)
               : __builtin_convertvector(__builtin_shufflevector(words, words, 4, 5, 6, 7), vi);
#endif
}

#endif
