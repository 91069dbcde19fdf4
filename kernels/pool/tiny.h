/* SPDX-License-Identifier: Apache-2.0 */
/* bf16 that are tiny: sums of them, scaled, may be subnormal numbers, and those the CPU's own
 * rounding to bf16 takes for zeros. Values of 2^-56 and more times factors of 2^-16 and more are
 * multiples of 2^-95, and so are sums of them; times a third or more, and summed once more, they
 * are multiples of 2^-124. */
#ifndef ACLNN_CPU_KERNELS_POOL_TINY_H
#define ACLNN_CPU_KERNELS_POOL_TINY_H

#include "kernels/vector/pairs.h"

enum { TINY_LIMIT = (127 - 56) << 7 }; /* 2^-56 as bf16 */

/* Whether `count` values of bf16 are 0 or at least 2^-56. */
K_TEMPLATE
bool tiny_none(const char *at, int64_t count)
{
#if defined(K_ISA_avx512)
    __m512i least = _mm512_set1_epi16(-1);
    const __m512i ones = least;
    for (int64_t x = 0; x < count; x += 32, at += K_VECTOR_BYTES) {
        const int64_t left = count - x;
        const __m512i bits =
            left >= 32 ? _mm512_loadu_si512(at) : _mm512_maskz_loadu_epi16((1U << left) - 1, at);
        const __m512i size = _mm512_add_epi16(bits, bits); /* and 0 becomes the largest: */
        least = _mm512_min_epu16(least, _mm512_add_epi16(size, ones));
    }
    return _mm512_cmplt_epu16_mask(least, _mm512_set1_epi16(2 * TINY_LIMIT - 1)) == 0;
#else
    (void)at, (void)count;
    return false;
#endif
}

#if defined(K_ISA_avx512)
/* Over vectors that are in registers for other reasons. */
struct tiny {
    __m512i minus_two, most; /* the most that -2 times the bits of one have been */
};

static inline struct tiny tiny_begin(void)
{
    /* opaque: one multiplication becomes a subtraction and a shift else */
    return (struct tiny){.minus_two = (__m512i)v_keep((vf)_mm512_set1_epi16(-2))};
}

/* Of bf16 that are not 0 the one nearest to it is kept. */
K_TEMPLATE
void tiny_watch(struct tiny *tiny, vf words)
{
    const __m512i size = _mm512_mullo_epi16((__m512i)words, tiny->minus_two);
    tiny->most = _mm512_max_epu16(tiny->most, size);
}

/* Was none tiny? */
static inline bool tiny_end(const struct tiny *tiny)
{
    const __m512i limit = _mm512_set1_epi16((int16_t)(0x10000 - 2 * TINY_LIMIT));
    return _mm512_cmpgt_epu16_mask(tiny->most, limit) == 0;
}
#endif

#endif
