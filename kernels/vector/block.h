/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: as many elements as a vector register holds (VL floats, 2 VL words), widened to one or
 * two vectors of floats, in the order that costs least to make and to round again. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_BLOCK_H
#define ACLNN_CPU_KERNELS_VECTOR_BLOCK_H

#include "kernels/vector/simd.h"

/* f32: a alone. f16: a holds the first VL elements, b the others. bf16: a holds the elements of
 * even number, b those of odd number: a pair of them is a lane of the vector in memory. Passed to
 * inline functions only. */
struct k_block {
    vf a, b;
};

#define BLOCK(dt) ((dt) == K_F32 ? VL : 2 * VL)

/* ---- in and out ---- */

K_TEMPLATE
struct k_block block_of_bits(enum k_dtype dt, vu bits)
{
    struct k_block block = {(vf)bits, {0}};
    if (dt == K_BF16) {
        block.a = (vf)(bits << 16);
        block.b = (vf)(bits & 0xffff0000);
    }
    return block;
}

K_TEMPLATE
struct k_block block_load(enum k_dtype dt, const char *at)
{
    if (dt == K_F16) return (struct k_block){k_load(dt, at), k_load(dt, at + VL * 2)};
    vu bits;
    memcpy(&bits, at, sizeof bits);
    return block_of_bits(dt, bits);
}

/* The first count elements, the others zero. */
K_TEMPLATE
struct k_block block_first(enum k_dtype dt, int count, struct k_block x)
{
    const vf zero = {0};
    if (dt == K_F32) return (struct k_block){v_first(count, x.a, zero), zero};
    if (dt == K_F16)
        return (struct k_block){v_first(count, x.a, zero), v_first(count - VL, x.b, zero)};
    return (struct k_block){v_first((count + 1) / 2, x.a, zero), v_first(count / 2, x.b, zero)};
}

/* As block_load, of 0 < count < BLOCK elements; the others are zero. Nothing at or behind `end` is
 * read. */
K_TEMPLATE
struct k_block block_load_first(enum k_dtype dt, const char *at, int count, const char *end)
{
#if defined(K_ISA_avx512)
    (void)end;
    if (dt == K_F32) return (struct k_block){k_load_first(dt, at, count), {0}};
    const __mmask32 mask = (__mmask32)((1ULL << count) - 1);
    const __m512i bits = _mm512_maskz_loadu_epi16(mask, at);
    if (dt == K_BF16) return block_of_bits(dt, (vu)bits);
    return (struct k_block){(vf)_mm512_cvtph_ps(_mm512_castsi512_si256(bits)),
                            (vf)_mm512_cvtph_ps(_mm512_extracti64x4_epi64(bits, 1))};
#else
    if (end - at >= K_VECTOR_BYTES) return block_first(dt, count, block_load(dt, at));
    char bytes[K_VECTOR_BYTES] = {0};
    memcpy(bytes, at, (size_t)(count * k_size(dt)));
    return block_load(dt, bytes);
#endif
}

/* bf16: a sum of scaled bf16 values. A NaN among such sums has the payload of a bf16 (or none), so
 * rounding cannot carry it to another number, and needs no test. */
K_TEMPLATE
vu block_round_bf16(vf value)
{
    const vu bits = (vu)value;
    return bits + (bits >> 16 & 1) + 0x7fff;
}

#if defined(K_ISA_avx512)
/* Words taken from both vectors of floats, rounded by the words below them, taken alike: up if
 * these are above one half, or are one half and the word is odd. */
K_TEMPLATE
vf block_words_bf16(vf first, vf second, vi upper)
{
    const __m512i a = (__m512i)first, b = (__m512i)second, one = _mm512_set1_epi16(1);
    const __m512i words = _mm512_permutex2var_epi16(a, (__m512i)upper, b);
    const __m512i below = _mm512_permutex2var_epi16(a, (__m512i)(upper - 0x10001), b);
    const __m512i enough = /* ~words & 1 | 0x8000 */
        _mm512_ternarylogic_epi32(words, one, _mm512_set1_epi16(INT16_MIN), 0xae);
    const __mmask32 up = _mm512_cmpge_epu16_mask(below, enough);
    return (vf)_mm512_mask_add_epi16(words, up, words, one);
}
#endif

/* VL floats and VL more, in this order, as words; bf16: sums as block_round_bf16 wants them. */
K_TEMPLATE
vf block_halves(enum k_dtype dt, vf low, vf high)
{
    if (dt == K_F16) return (vf)v_to_halves(dt, low, high);
#if defined(K_ISA_avx512)
    return block_words_bf16(low, high, v_lanes() * 0x40004 + 0x30001);
#else
    return (vf)v_upper_halves(block_round_bf16(low), block_round_bf16(high));
#endif
}

/* Two lanes of floats as one lane of two bf16. */
K_TEMPLATE
vf block_pair_bf16(vf first, vf second)
{
#if defined(K_ISA_avx512)
    return block_words_bf16(first, second, v_lanes() * 0x20002 + 0x210001);
#else
    return (vf)(block_round_bf16(first) >> 16 | (block_round_bf16(second) & 0xffff0000));
#endif
}

/* The elements as in memory. */
K_TEMPLATE
vf block_elements(enum k_dtype dt, struct k_block x)
{
    if (dt == K_F32) return x.a;
    if (dt == K_BF16) return block_pair_bf16(x.a, x.b);
    return (vf)v_to_halves(dt, x.a, x.b);
}

/* a0 b0 a1 b1 ... of 2 VL words of which a and b hold VL each. */
K_TEMPLATE
vf block_zip_f16(vf a, vf b)
{
    const vh x = v_to_f16(a), y = v_to_f16(b);
#if defined(K_ISA_avx512)
    const vi lanes = v_lanes() * 0x10001 + 0x200000;
    return (vf)_mm512_permutex2var_epi16(_mm512_castsi256_si512((__m256i)x), (__m512i)lanes,
                                         _mm512_castsi256_si512((__m256i)y));
#endif
    const vu low = __builtin_convertvector(x, vu), high = __builtin_convertvector(y, vu);
    return (vf)(low | high << 16);
}

/* x0 y0 x1 y1 ... as in memory: two vectors. */
K_TEMPLATE
void block_zip(enum k_dtype dt, struct k_block x, struct k_block y, vf elements[2])
{
    if (dt == K_F16) {
        elements[0] = block_zip_f16(x.a, y.a);
        elements[1] = block_zip_f16(x.b, y.b);
        return;
    }
    vf low = x.a, high = y.a;
    if (dt == K_BF16) {
        low = block_pair_bf16(x.a, y.a);
        high = block_pair_bf16(x.b, y.b);
    }
    elements[0] = v_zip(0, low, high);
    elements[1] = v_zip(1, low, high);
}

/* Lanes [from, to) of x, the others zero. */
K_TEMPLATE
vf block_lanes(int from, int to, vf x)
{
    const vi lanes = v_lanes();
    return (vf)((vi)x & (lanes >= from) & (lanes < to));
}

/* Elements [from, to) of the block at `at` in their places, zeros elsewhere. Only bytes of them, or
 * from `begin` to `end`, are read. */
K_TEMPLATE
struct k_block block_load_part(enum k_dtype dt, const char *at, int from, int to, const char *begin,
                               const char *end)
{
#if defined(K_ISA_avx512)
    (void)begin, (void)end;
    const uint64_t mask = ((1ULL << to) - 1) & ~((1ULL << from) - 1);
    if (dt == K_F32) return (struct k_block){(vf)_mm512_maskz_loadu_ps((__mmask16)mask, at), {0}};
    const __m512i bits = _mm512_maskz_loadu_epi16((__mmask32)mask, at);
    if (dt == K_BF16) return block_of_bits(dt, (vu)bits);
    return (struct k_block){(vf)_mm512_cvtph_ps(_mm512_castsi512_si256(bits)),
                            (vf)_mm512_cvtph_ps(_mm512_extracti64x4_epi64(bits, 1))};
#else
    if (at < begin || end - at < K_VECTOR_BYTES) {
        const int64_t size = k_size(dt);
        char bytes[K_VECTOR_BYTES] = {0};
        memcpy(bytes + from * size, at + from * size, (size_t)((to - from) * size));
        return block_load(dt, bytes);
    }
    const struct k_block x = block_load(dt, at);
    if (dt == K_F32) return (struct k_block){block_lanes(from, to, x.a), x.b};
    if (dt == K_F16)
        return (struct k_block){block_lanes(from, to, x.a), block_lanes(from - VL, to - VL, x.b)};
    return (struct k_block){block_lanes((from + 1) / 2, (to + 1) / 2, x.a),
                            block_lanes(from / 2, to / 2, x.b)};
#endif
}

/* ---- arithmetic ---- */

/* x * y, where +0 stands for -0. certain: no product but that of a 0 is rounded to 0. */
K_TEMPLATE
vf v_product(bool certain, vf x, vf y)
{
#if defined(K_ISA_avx512)
    if (certain) return (vf)_mm512_fmadd_ps((__m512)x, (__m512)y, _mm512_setzero_ps());
#endif
    (void)certain;
    return x * y + 0.0f;
}

/* x + y, by the units that multiply: for where the others, which convert f16 too, have more to
 * do. */
K_TEMPLATE
vf v_plus(vf x, vf y)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_fmadd_ps((__m512)x, _mm512_set1_ps(1), (__m512)y);
#else
    return x + y;
#endif
}

K_TEMPLATE
struct k_block block_add(enum k_dtype dt, struct k_block x, struct k_block y)
{
    return (struct k_block){x.a + y.a, dt == K_F32 ? x.b : x.b + y.b};
}

/* As v_plus. */
K_TEMPLATE
struct k_block block_plus(enum k_dtype dt, struct k_block x, struct k_block y)
{
    return (struct k_block){v_plus(x.a, y.a), dt == K_F32 ? x.b : v_plus(x.b, y.b)};
}

/* A product that is zero is +0, as is a sum with what lies beyond dY: so a cell's zero has the same
 * sign whichever way it is made. */
K_TEMPLATE
struct k_block block_multiply(enum k_dtype dt, struct k_block x, struct k_block y)
{
    return (struct k_block){x.a * y.a + 0.0f, dt == K_F32 ? x.b : x.b * y.b + 0.0f};
}

K_TEMPLATE
struct k_block block_scale(enum k_dtype dt, struct k_block x, vf factor)
{
    return block_multiply(dt, x, (struct k_block){factor, factor});
}

/* The elements delayed by n, 1 <= n <= 3: element i is element i - n of now, or of before. */
K_TEMPLATE
struct k_block block_delay(enum k_dtype dt, int n, struct k_block before, struct k_block now)
{
    if (dt == K_F32) return (struct k_block){v_delay(n, before.a, now.a), {0}};
    if (dt == K_F16) return (struct k_block){v_delay(n, before.b, now.a), v_delay(n, now.a, now.b)};
    if (n == 1) return (struct k_block){v_delay(1, before.b, now.b), now.a};
    if (n == 2) return (struct k_block){v_delay(1, before.a, now.a), v_delay(1, before.b, now.b)};
    return (struct k_block){v_delay(2, before.b, now.b), v_delay(1, before.a, now.a)};
}

/* ---- tables of one number per element, in the order of blocks ---- */

/* Where to find the entries of the block that begins with element i, an even one, of a table that
 * block_table made. */
K_TEMPLATE
int block_entry(enum k_dtype dt, int i)
{
    return dt == K_BF16 ? i / 2 : i;
}

K_TEMPLATE
struct k_block block_entries(enum k_dtype dt, const float *table, int64_t room, int entry)
{
    if (dt == K_F32) return (struct k_block){v_load(table + entry), {0}};
    if (dt == K_F16) return (struct k_block){v_load(table + entry), v_load(table + entry + VL)};
    return (struct k_block){v_load(table + entry), v_load(table + room / 2 + entry)};
}

/* Of `period` numbers, which repeat; room >= 2 * (period + VL): floats of the table. */
K_TEMPLATE
void block_table(enum k_dtype dt, float *table, int64_t room, const float *values, int period)
{
    if (dt != K_BF16) {
        for (int i = 0, from = 0; i < period + 2 * VL; i++) {
            table[i] = values[from];
            if (++from == period) from = 0;
        }
        return;
    }
    for (int part = 0; part < 2; part++) {
        float *to = table + part * (room / 2);
        for (int i = 0, from = part % period; i < period + VL; i++) {
            to[i] = values[from];
            from = (from + 2) % period;
        }
    }
}

#endif
