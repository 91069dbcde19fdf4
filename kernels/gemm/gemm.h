/* SPDX-License-Identifier: Apache-2.0 */
/* Products of packed panels in registers, and loads and stores of some lanes of a vector, which
 * packing needs. Multiply-add is fused where the level has it: such levels give the same bits, as
 * each sum runs over its terms in one order whatever the width of the vectors. */
#ifndef ACLNN_CPU_KERNELS_GEMM_GEMM_H
#define ACLNN_CPU_KERNELS_GEMM_GEMM_H

#include "kernels/conv/conv_plan.h"
#include "kernels/vector/pairs.h"
#include "kernels/vector/simd.h"

/* a * b + c */
K_TEMPLATE
vf v_fma(vf a, vf b, vf c)
{
#if defined(K_ISA_avx512)
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(K_ISA_avx2)
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

/* ---- some lanes ---- */

/* An address that may lie outside of its object, of which only some lanes are touched. */
K_TEMPLATE
const char *v_address(const char *base, int64_t bytes)
{
    return (const char *)((uintptr_t)base + (uintptr_t)bytes);
}

/* Lanes first to first + count - 1 from value, the others from other. */
K_TEMPLATE
vf v_between(int first, int count, vf value, vf other)
{
    const vi lanes = v_lanes();
    const vi inside = (lanes >= first) & (lanes < first + count);
    return (vf)((inside & (vi)value) | (~inside & (vi)other));
}

#if defined(K_ISA_avx512)
/* Those lanes of the elements at `at`, zeros elsewhere; only their memory is touched. */
K_TEMPLATE
vf k_load_lanes(enum k_dtype dt, const char *at, __mmask16 lanes)
{
    if (dt == K_F32) return (vf)_mm512_maskz_loadu_ps(lanes, (const void *)at);
    return v_from_half(dt, (vh)_mm256_maskz_loadu_epi16(lanes, (const void *)at));
}
#endif

/* Lanes first to first + count - 1 of the elements at + lane * step (in elements); other lanes keep
 * what is in `other`, and their memory is not touched. */
K_TEMPLATE
vf k_load_between(enum k_dtype dt, const char *at, int64_t step, int first, int count, vf other)
{
    const int64_t size = k_size(dt);
    if (step == 1 && count == VL) return k_load(dt, at);
#if defined(K_ISA_avx512)
    const __mmask16 mask = (__mmask16)(((1U << count) - 1) << first);
    if (step == 1 && dt == K_F32)
        return (vf)_mm512_mask_loadu_ps((__m512)other, mask, (const void *)at);
    if (step == 1) {
        const vf value = v_from_half(dt, (vh)_mm256_maskz_loadu_epi16(mask, (const void *)at));
        return (vf)_mm512_mask_mov_ps((__m512)other, mask, (__m512)value);
    }
    if (dt == K_F32 && step < 1 << 20) {
        const vi lanes = v_lanes() * (int32_t)step;
        return (vf)_mm512_mask_i32gather_ps((__m512)other, mask, (__m512i)lanes, (const void *)at,
                                            4);
    }
#endif
    union {
        vf single;
        vh half;
        char bytes[sizeof(vf)];
    } raw = {.single = {0}};
    for (int lane = first; lane < first + count; lane++)
        memcpy(raw.bytes + lane * size, v_address(at, lane * step * size), (size_t)size);
    return v_between(first, count, dt == K_F32 ? raw.single : v_from_half(dt, raw.half), other);
}

/* Stores lanes first to first + count - 1 at at + lane * step, rounded. */
K_TEMPLATE
void k_store_between(enum k_dtype dt, char *at, int64_t step, int first, int count, vf value)
{
    const int64_t size = k_size(dt);
    if (step == 1 && count == VL) {
        k_store(dt, at, value);
        return;
    }
#if defined(K_ISA_avx512)
    const __mmask16 mask = (__mmask16)(((1U << count) - 1) << first);
    if (step == 1) {
        if (dt == K_F32)
            _mm512_mask_storeu_ps((void *)at, mask, (__m512)value);
        else
            _mm256_mask_storeu_epi16((void *)at, mask, (__m256i)v_to_half(dt, value));
        return;
    }
#endif
    char raw[sizeof value];
    k_store(dt, raw, value);
    for (int lane = first; lane < first + count; lane++)
        memcpy((char *)(uintptr_t)v_address(at, lane * step * size), raw + lane * size,
               (size_t)size);
}

K_TEMPLATE
vf v_round_operand(enum k_rounding rounding, vf value)
{
    if (rounding == K_ROUND_F16) return v_from_f16(v_to_f16(value));
    if (rounding != K_ROUND_HF32) return value;
    /* Ties away: half of the last kept place, then the rest is cut. */
    const vu bits = (vu)value, special = (vu)((bits & 0x7f800000) == 0x7f800000);
    return (vf)((special & bits) | (~special & ((bits + 0x800) & 0xfffff000)));
}

/* ---- register blocks ---- */

/* conv_map: GEMM_ROWS result channels by GEMM_WIDTH vectors of positions. */
enum {
    GEMM_WIDTH = 3,
    GEMM_COLUMNS = GEMM_WIDTH * VL,
    GEMM_ROWS = K_VECTOR_BYTES == 64 ? 8 : 4,
};

/* Memory that a product announces, a line of it with each of its terms: what is needed soon, or
 * what is near anyway, without a step. */
struct gemm_ahead {
    const char *at;
    int64_t step; /* bytes */
};

/* Where the sums of a product go: rows `apart` floats from each other. */
struct gemm_sums {
    float *at;
    int64_t apart;
    bool add; /* to what is there */
};

/* Rows of columns where they lie in a tensor, `step` bytes apart, as FLOAT or, for pairs, as
 * halves. A product that takes them from there leaves them packed at `to` and hides that they are
 * waited for. */
struct gemm_source {
    const char *at; /* or NULL: b has them */
    int64_t step;
    float *to;
};

/* Where a product of a whole panel puts complete sums, plus a bias each: rows of whole lines,
 * `apart` floats from each other. It announces where the next one will, a row at a time, or what is
 * near anyway. */
struct gemm_result {
    float *at;
    int64_t apart;
    const float *bias;
    bool stream; /* past the caches */
    const float *next;
    int64_t next_apart;
};

/* c[row][column] = or += sum over k of a[k][row] * b[k][column]; a's rows are CONV_PANEL apart. */
K_TEMPLATE
void gemm_block(int rows, bool into, const float *a, const float *b, int64_t depth,
                struct gemm_sums c, struct gemm_ahead ahead, struct gemm_source source,
                struct gemm_result result)
{
    const int shares = into ? rows : 1;
    vf sum[GEMM_ROWS][GEMM_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < GEMM_WIDTH; v++)
            sum[r][v] = (vf){0};
    for (int64_t share = 0, k = 0; share < shares; share++) {
        const int64_t end = depth * (share + 1) / shares;
        for (int v = 0; into && v < GEMM_WIDTH; v++)
            __builtin_prefetch(result.next + share * result.next_apart + v * VL, 1, 3);
        for (; k < end; k++) {
            const char *at = source.at ? source.at : (const char *)b;
            const vf b0 = v_keep(k_load(K_F32, at)), b1 = v_keep(k_load(K_F32, at + sizeof b0));
            const vf b2 = v_keep(k_load(K_F32, at + 2 * sizeof b0));
            if (source.at) {
                v_store(source.to, b0);
                v_store(source.to + VL, b1);
                v_store(source.to + 2 * VL, b2);
                source.at += source.step;
                source.to += GEMM_COLUMNS;
            }
            __builtin_prefetch(ahead.at, 0, 2);
            ahead.at += ahead.step;
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                const vf w = v_keep(v_all(a[r]));
                sum[r][0] = v_fma(w, b0, sum[r][0]);
                sum[r][1] = v_fma(w, b1, sum[r][1]);
                sum[r][2] = v_fma(w, b2, sum[r][2]);
            }
            a += CONV_PANEL;
            b += GEMM_COLUMNS;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < GEMM_WIDTH; v++) {
            float *at = c.at + r * c.apart + v * VL;
            const vf value = c.add ? v_load(at) + sum[r][v] : sum[r][v];
            if (!into) {
                v_store(at, value);
                continue;
            }
            at = result.at + r * result.apart + v * VL;
            if (result.stream)
                k_stream((char *)at, value + v_all(result.bias[r]));
            else
                v_store(at, value + v_all(result.bias[r]));
        }
}

#if defined(K_PAIRS)
K_TEMPLATE
vw v_load_words(const char *at)
{
    vw words;
    memcpy(&words, at, sizeof words);
    return words;
}

/* The same with rows of pairs; depth counts them. */
K_TEMPLATE
K_PAIRS_TARGET void gemm_pairs(int rows, const float *a, const float *b, int64_t depth,
                               struct gemm_sums c, struct gemm_ahead ahead,
                               struct gemm_source source)
{
    vf sum[GEMM_ROWS][GEMM_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < GEMM_WIDTH; v++)
            sum[r][v] = (vf){0};
    for (int64_t k = 0; k < depth; k++) {
        vu b0, b1, b2;
        if (source.at) {
            const char *second = source.at + source.step;
            const vw one = v_load_words(source.at), other = v_load_words(second);
            b0 = v_keep_pairs((vu)v_zip_halves(0, one, other));
            b1 = v_keep_pairs((vu)v_zip_halves(1, one, other));
            b2 = v_keep_pairs(v_pair(k_load(K_BF16, source.at + sizeof one),
                                     k_load(K_BF16, second + sizeof one)));
            v_store(source.to, (vf)b0);
            v_store(source.to + VL, (vf)b1);
            v_store(source.to + 2 * VL, (vf)b2);
            source.at = second + source.step;
            source.to += GEMM_COLUMNS;
        } else {
            b0 = v_keep_pairs(v_load_pairs(b));
            b1 = v_keep_pairs(v_load_pairs(b + VL));
            b2 = v_keep_pairs(v_load_pairs(b + 2 * VL));
        }
        __builtin_prefetch(ahead.at, 0, 2);
        __builtin_prefetch(ahead.at + ahead.step, 0, 2);
        ahead.at += 2 * ahead.step;
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            uint32_t pair;
            memcpy(&pair, a + r, sizeof pair);
            const vu w = v_keep_pairs(v_all_pairs(pair));
            sum[r][0] = v_dot(w, b0, sum[r][0]);
            sum[r][1] = v_dot(w, b1, sum[r][1]);
            sum[r][2] = v_dot(w, b2, sum[r][2]);
        }
        a += CONV_PANEL;
        b += GEMM_COLUMNS;
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int v = 0; v < GEMM_WIDTH; v++) {
            float *at = c.at + r * c.apart + v * VL;
            v_store(at, c.add ? v_load(at) + sum[r][v] : sum[r][v]);
        }
}
#endif

/* conv_weight_grad: DOT_ROWS by DOT_COLUMNS sums of CONV_LANES lanes each. */
enum {
    DOT_PARTS = CONV_LANES / VL, /* vectors of a sum */
    DOT_ROWS = 8 / DOT_PARTS,
    DOT_COLUMNS = 3,
};

/* lanes[row][column][] (rows `stride` floats apart) += sum over steps of CONV_LANES positions of
 * a[step][row][lane] * b[step][column][lane]; a has CONV_PANEL rows per step, b DOT_COLUMNS. */
K_TEMPLATE
void dot_block(int rows, int columns, const float *a, const float *b, int64_t steps, float *lanes,
               int64_t stride)
{
    vf sum[DOT_ROWS][DOT_COLUMNS][DOT_PARTS];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
            for (int p = 0; p < DOT_PARTS; p++)
                sum[r][c][p] = v_load(lanes + r * stride + c * CONV_LANES + p * VL);
    for (int64_t step = 0; step < steps; step++) {
#pragma GCC unroll 4
        for (int p = 0; p < DOT_PARTS; p++) {
            vf right[DOT_COLUMNS];
#pragma GCC unroll 3
            for (int c = 0; c < columns; c++)
                right[c] = v_keep(v_load(b + c * CONV_LANES + p * VL));
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                const vf left = v_keep(v_load(a + r * CONV_LANES + p * VL));
#pragma GCC unroll 3
                for (int c = 0; c < columns; c++)
                    sum[r][c][p] = v_fma(left, right[c], sum[r][c][p]);
            }
        }
        a += CONV_PANEL * CONV_LANES;
        b += DOT_COLUMNS * CONV_LANES;
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 3
        for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
            for (int p = 0; p < DOT_PARTS; p++)
                v_store(lanes + r * stride + c * CONV_LANES + p * VL, sum[r][c][p]);
}

/* The lanes of one sum, added in a fixed order. */
K_TEMPLATE
float dot_total(const float *lanes)
{
    float quarter[4];
    for (int i = 0; i < 4; i++)
        quarter[i] = (lanes[i] + lanes[i + 4]) + (lanes[i + 8] + lanes[i + 12]);
    return (quarter[0] + quarter[1]) + (quarter[2] + quarter[3]);
}

#endif
