/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of bf16 as lanes of 32 bits, the first one below, and their dot products (AVX512-BF16). The
 * level avx512 is compiled without that extension: functions that use it carry K_PAIRS_TARGET and
 * are called when the parameters say that the CPU has it (k_pairs_bf16). The products of a pair are
 * added without a rounding between them, and subnormal numbers count as 0. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_PAIRS_H
#define ACLNN_CPU_KERNELS_VECTOR_PAIRS_H

#include "kernels/vector/simd.h"

/* From floats whose values are bf16. */
K_TEMPLATE
vu v_pair(vf first, vf second)
{
    return (vu)first >> 16 | ((vu)second & 0xffff0000);
}

/* Rows of floats, `width` to a row, become rows of pairs, in place; a row without a partner gets
 * zeros. */
static __attribute__((unused)) void pairs_of_rows(float *rows, int64_t width, int64_t count)
{
    typedef uint32_t group __attribute__((vector_size(32)));
    enum { GROUP = sizeof(group) / 4 };
    for (int64_t row = 0; row < count; row += 2)
        for (int64_t i = 0; i < width; i += GROUP) {
            group first, second = {0};
            memcpy(&first, rows + row * width + i, sizeof first);
            if (row + 1 < count) memcpy(&second, rows + (row + 1) * width + i, sizeof second);
            first = first >> 16 | (second & 0xffff0000);
            memcpy(rows + row / 2 * width + i, &first, sizeof first);
        }
}

#if defined(K_ISA_avx512)
#define K_PAIRS
#define K_PAIRS_TARGET __attribute__((target("avx512bf16")))

/* sum + the dot product of each lane's pairs */
K_TEMPLATE
K_PAIRS_TARGET vf v_dot(vu a, vu b, vf sum)
{
    return (vf)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
}

/* The nearest bf16 of low's lanes, then of high's. In assembly: it is reached from templates that
 * serve other cases too, which must not carry the target. */
K_TEMPLATE
vu v_round_pairs(vf low, vf high)
{
    vu words;
    __asm__("vcvtne2ps2bf16 %2, %1, %0" : "=v"(words) : "v"(high), "v"(low));
    return words;
}

/* Holds a loaded value in a register, as v_keep. */
K_TEMPLATE
vu v_keep_pairs(vu value)
{
    __asm__("" : "+v"(value));
    return value;
}

K_TEMPLATE
vu v_load_pairs(const void *at)
{
    vu value;
    memcpy(&value, at, sizeof value);
    return value;
}

K_TEMPLATE
vu v_all_pairs(uint32_t pair)
{
    return pair - (vu){0};
}

/* The first `count` elements of two rows of bf16 as `vectors` of pairs, zeros behind; second may be
 * NULL for a row of zeros. */
K_TEMPLATE
void v_pairs_of(const char *first, const char *second, int64_t count, int vectors, vu to[])
{
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v += 2) {
        const int64_t left = count - v * VL, some = left < 0 ? 0 : left < 2 * VL ? left : 2 * VL;
        const __mmask32 mask = _bzhi_u32(~0U, (unsigned)some);
        const vw one = (vw)_mm512_maskz_loadu_epi16(mask, first + 2 * v * VL);
        vw other = {0};
        if (second) other = (vw)_mm512_maskz_loadu_epi16(mask, second + 2 * v * VL);
        to[v] = (vu)v_zip_halves(0, one, other);
        if (v + 1 < vectors) to[v + 1] = (vu)v_zip_halves(1, one, other);
    }
}

enum { PAIRS_ROWS = 2 * VL }; /* what two vectors of pairs hold of a row */

/* Rows of bf16, `step` bytes apart, as rows of pairs, `vectors` of them to two rows:
 * to[row / 2][lane], or for two vectors four panels to[row / 2][lane of VL / 2], `apart` floats
 * from each other. */
K_TEMPLATE
void pack_pairs(bool panels, int vectors, const char *from, int64_t step, int64_t lanes,
                int64_t rows, float *to, int64_t apart)
{
    for (int64_t row = 0; row < rows; row += 2, to += panels ? VL / 2 : vectors * VL) {
        const char *at = (const char *)((uintptr_t)from + (uintptr_t)(row * step));
        vu pairs[4];
        v_pairs_of(at, row + 1 < rows ? at + step : NULL, lanes, vectors, pairs);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            if (!panels) {
                v_store(to + v * VL, (vf)pairs[v]);
                continue;
            }
            float *low = to + 2 * v * apart;
            _mm256_storeu_si256((void *)low, _mm512_castsi512_si256((__m512i)pairs[v]));
            _mm256_storeu_si256((void *)(low + apart),
                                _mm512_extracti64x4_epi64((__m512i)pairs[v], 1));
        }
    }
}
#endif

/* `count` words: those from `first` below `end` from memory, where number 0 lies at `from`, the
 * others zeros; whole vectors are written. */
K_TEMPLATE
void k_halves_row(const char *from, int64_t first, int64_t end, int64_t count, void *to)
{
    for (int64_t i = 0; i < count; i += 2 * VL) {
        const int64_t low = first > i ? first - i : 0, high = end - i < 2 * VL ? end - i : 2 * VL;
        char *at = (char *)to + 2 * i;
#if defined(K_ISA_avx512)
        const __mmask32 some = _bzhi_u32(~0U, (unsigned)(high < 0 ? 0 : high)) &
                               ~_bzhi_u32(~0U, (unsigned)(low < 2 * VL ? low : 2 * VL));
        const void *begin = (const void *)((uintptr_t)from + 2 * (uintptr_t)i);
        _mm512_storeu_si512((void *)at, _mm512_maskz_loadu_epi16(some, begin));
#else
        memset(at, 0, sizeof(vf));
        if (low < high) memcpy(at + 2 * low, from + 2 * (i + low), (size_t)(2 * (high - low)));
#endif
    }
}

#endif
