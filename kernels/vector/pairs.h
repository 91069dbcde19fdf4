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
