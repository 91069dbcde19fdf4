/* SPDX-License-Identifier: Apache-2.0 */
/* Halves that become gradients as they are: where one window alone lies over a cell, its value is
 * not added to anything, and what its sum with +0 is shows in its bits. */
#ifndef ACLNN_CPU_KERNELS_POOL_MAX_WORDS_H
#define ACLNN_CPU_KERNELS_POOL_MAX_WORDS_H

#include "kernels/vector/select.h"

/* Halves as if each were made a float, added to +0 and rounded: -0 becomes +0, a signaling NaN a
 * quiet one. Lanes may be halves behind a zero as well. */
K_TEMPLATE
vw words_added(enum k_dtype dt, vw words)
{
    const uint16_t infinity = dt == K_BF16 ? 0x7f80 : 0x7c00, quiet = dt == K_BF16 ? 0x40 : 0x200;
    const vw size = words & 0x7fff;
    return (words | ((vw)(size > infinity) & quiet)) & (vw)(size != 0);
}

/* VL halves from `at` on, a lane each, so treated. */
K_TEMPLATE
vu words_lanes(enum k_dtype dt, const char *at)
{
    vh halves;
    memcpy(&halves, at, sizeof halves);
#if defined(K_ISA_avx512)
    const __m512i lanes = _mm512_cvtepu16_epi32((__m256i)halves), size = _mm512_set1_epi32(0x7fff);
    const __m512i infinity = _mm512_set1_epi32(dt == K_BF16 ? 0x7f80 : 0x7c00);
    const __mmask16 nan = _mm512_cmpgt_epi32_mask(_mm512_and_si512(lanes, size), infinity);
    const __m512i added = _mm512_maskz_mov_epi32(_mm512_test_epi32_mask(lanes, size), lanes);
    return (vu)_mm512_mask_or_epi32(added, nan, added,
                                    _mm512_set1_epi32(dt == K_BF16 ? 0x40 : 0x200));
#elif defined(K_ISA_avx2)
    return (vu)words_added(dt, (vw)_mm256_cvtepu16_epi32((__m128i)halves));
#else
    return (vu)words_added(dt, (vw) __builtin_convertvector(halves, vu));
#endif
}

/* VL halves and as many zeros; the first VL halves. */
K_TEMPLATE
vw words_wide(vh halves)
{
    const vh zero = {0};
#if K_VECTOR_BYTES == 64
    return __builtin_shufflevector(halves, zero, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                   15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                                   31);
#elif K_VECTOR_BYTES == 32
    return __builtin_shufflevector(halves, zero, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                   15);
#else
    return __builtin_shufflevector(halves, zero, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

K_TEMPLATE
vh words_first(vw words)
{
#if K_VECTOR_BYTES == 64
    return __builtin_shufflevector(words, words, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                   15);
#elif K_VECTOR_BYTES == 32
    return __builtin_shufflevector(words, words, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return __builtin_shufflevector(words, words, 0, 1, 2, 3);
#endif
}

/* 2 VL halves. */
K_TEMPLATE
vw words_load(enum k_dtype dt, const char *at)
{
    vw words;
    memcpy(&words, at, sizeof words);
    return words_added(dt, words);
}

/* Those whose lanes of a and b are the same, 0 for the others; lanes of a[0] and b[0] come first.
 */
K_TEMPLATE
vf words_where_same(const vi a[2], const vi b[2], vw words)
{
#if defined(K_ISA_avx512)
    const __mmask16 low = _mm512_cmpeq_epi32_mask((__m512i)a[0], (__m512i)b[0]);
    const __mmask16 high = _mm512_cmpeq_epi32_mask((__m512i)a[1], (__m512i)b[1]);
    return (vf)_mm512_maskz_mov_epi16(_mm512_kunpackw(high, low), (__m512i)words);
#elif defined(K_ISA_avx2)
    const __m256i same = _mm256_packs_epi32((__m256i)(a[0] == b[0]), (__m256i)(a[1] == b[1]));
    return (vf)((vw)_mm256_permute4x64_epi64(same, 0xd8) & words);
#else
    typedef int16_t half_lanes __attribute__((vector_size(VL * 2)));
    const half_lanes low = __builtin_convertvector(a[0] == b[0], half_lanes);
    const half_lanes high = __builtin_convertvector(a[1] == b[1], half_lanes);
    return (vf)((vw)__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7) & words);
#endif
}

#endif
