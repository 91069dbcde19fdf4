/* SPDX-License-Identifier: Apache-2.0 */
/* conv_grad_outer's blocks of sums in registers. */
#ifndef ACLNN_CPU_KERNELS_CONV_OUTER_GRAD_SUMS_H
#define ACLNN_CPU_KERNELS_CONV_OUTER_GRAD_SUMS_H

#include "kernels/conv/outer_grad_pairs.h"

enum { PREFETCH_EACH = LINE_BYTES / (int)sizeof(float) }; /* terms */

/* Of tensors that are read as they lie: the line of each column that the tiles after these have in
 * its place. */
K_TEMPLATE
void prefetch_columns(int columns, const struct outer_grad *item, const float *const from[],
                      int64_t at)
{
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
        __builtin_prefetch(
            v_address((const char *)from[c], (int64_t)sizeof(float) * (at + item->ahead)), 0, 2);
}

/* sum[column][m] += outer products of terms [i, end). */
K_TEMPLATE
void add_floats(int columns, int vectors, const struct term *term, int64_t i, int64_t end,
                const float *const from[], const float *small, vf sum[BLOCK][SOME])
{
    for (; i < end; i++) {
        const int64_t at = term[i].place;
        const float *row = small + term[i].row;
        vf m[SOME];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            m[v] = v_keep(v_load(row + v * VL));
#pragma GCC unroll 6
        for (int c = 0; c < columns; c++) {
            const vf x = v_keep(v_all(from[c][at]));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[c][v] = v_fma(x, m[v], sum[c][v]);
        }
    }
}

/* sums[column][m] += outer products of all positions: from[column] is where the column's first
 * tile begins, in the band or in the tensor. One loop, so that the sums stay in registers. */
K_TEMPLATE
void outer_block(int columns, int vectors, bool straight, const struct outer_grad *item,
                 const float *const from[], const float *small, float *const sums[])
{
    vf sum[BLOCK][SOME];
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[c][v] = v_load(sums[c] + v * VL);
    const int64_t terms = item->terms, step = straight ? PREFETCH_EACH : terms;
    for (int64_t i = 0; i < terms; i += step) {
        const int64_t end = i + step < terms ? i + step : terms;
        if (straight) prefetch_columns(columns, item, from, item->term[i].place);
        add_floats(columns, vectors, item->term, i, end, from, small, sum);
    }
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            v_store(sums[c] + v * VL, sum[c][v]);
}

#if defined(K_PAIRS)
/* Terms of pairs, of the first tile alone or of both. */
K_TEMPLATE
K_PAIRS_TARGET void add_pairs(int columns, int vectors, bool alone, const struct term *term,
                              int64_t i, int64_t end, const float *const from[], const float *small,
                              vf sum[BLOCK][SOME])
{
    for (; i < end; i++) {
        const float *row = small + term[i].row;
        vu m[SOME];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            m[v] = v_keep_pairs(v_load_pairs(row + v * VL));
#pragma GCC unroll 6
        for (int c = 0; c < columns; c++) {
            uint32_t pair;
            memcpy(&pair, from[c] + term[i].place, sizeof pair);
            const vu x = v_keep_pairs(v_all_pairs(alone ? pair & 0xffff : pair));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[c][v] = v_dot(x, m[v], sum[c][v]);
        }
    }
}

/* The same with pairs of bf16; of the last terms, only the first tile's. */
K_TEMPLATE
K_PAIRS_TARGET void outer_pairs(int columns, int vectors, bool straight,
                                const struct outer_grad *item, const float *const from[],
                                const float *small, float *const sums[])
{
    vf sum[BLOCK][SOME];
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[c][v] = v_load(sums[c] + v * VL);
    const int64_t both = item->both, step = straight ? PREFETCH_EACH : both;
    for (int64_t i = 0; i < both; i += step) {
        const int64_t end = i + step < both ? i + step : both;
        if (straight) prefetch_columns(columns, item, from, item->term[i].place);
        add_pairs(columns, vectors, false, item->term, i, end, from, small, sum);
    }
    if (!straight)
        add_pairs(columns, vectors, true, item->term, both, item->terms, from, small, sum);
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            v_store(sums[c] + v * VL, sum[c][v]);
}

K_TEMPLATE
K_PAIRS_TARGET void pairs_of_columns(int columns, int vectors, bool straight,
                                     const struct outer_grad *item, const float *const from[],
                                     const float *small, float *const sums[])
{
    switch (columns) {
    case 6:
        outer_pairs(6, vectors, straight, item, from, small, sums);
        break;
    case 5:
        outer_pairs(5, vectors, straight, item, from, small, sums);
        break;
    case 4:
        outer_pairs(4, vectors, straight, item, from, small, sums);
        break;
    case 3:
        outer_pairs(3, vectors, straight, item, from, small, sums);
        break;
    case 2:
        outer_pairs(2, vectors, straight, item, from, small, sums);
        break;
    default:
        outer_pairs(1, vectors, straight, item, from, small, sums);
        break;
    }
}

K_TEMPLATE
K_PAIRS_TARGET void multiply_pairs_of(int columns, int vectors, bool straight,
                                      const struct outer_grad *item, const float *const from[],
                                      const float *small, float *const sums[])
{
    if (vectors == SOME)
        pairs_of_columns(columns, SOME, straight, item, from, small, sums);
    else if (vectors == 2)
        pairs_of_columns(columns, 2, straight, item, from, small, sums);
    else
        pairs_of_columns(columns, 1, straight, item, from, small, sums);
}

static __attribute__((noinline, unused)) K_PAIRS_TARGET void
multiply_pairs(int columns, int vectors, const struct outer_grad *item, const float *const from[],
               const float *small, float *const sums[])
{
    multiply_pairs_of(columns, vectors, false, item, from, small, sums);
}

static __attribute__((noinline, unused)) K_PAIRS_TARGET void
multiply_pairs_straight(int columns, int vectors, const struct outer_grad *item,
                        const float *const from[], const float *small, float *const sums[])
{
    multiply_pairs_of(columns, vectors, true, item, from, small, sums);
}

#endif

K_TEMPLATE
void outer_columns(int columns, int vectors, bool straight, const struct outer_grad *item,
                   const float *const from[], const float *small, float *const sums[])
{
    switch (columns) {
    case 6:
        outer_block(6, vectors, straight, item, from, small, sums);
        break;
    case 5:
        outer_block(5, vectors, straight, item, from, small, sums);
        break;
    case 4:
        outer_block(4, vectors, straight, item, from, small, sums);
        break;
    case 3:
        outer_block(3, vectors, straight, item, from, small, sums);
        break;
    case 2:
        outer_block(2, vectors, straight, item, from, small, sums);
        break;
    default:
        outer_block(1, vectors, straight, item, from, small, sums);
        break;
    }
}

K_TEMPLATE
void multiply_of(int columns, int vectors, bool straight, const struct outer_grad *item,
                 const float *const from[], const float *small, float *const sums[])
{
    if (vectors == SOME)
        outer_columns(columns, SOME, straight, item, from, small, sums);
    else if (SOME > 2 && vectors == 2)
        outer_columns(columns, 2, straight, item, from, small, sums);
    else
        outer_columns(columns, 1, straight, item, from, small, sums);
}

static __attribute__((noinline, unused)) void multiply(int columns, int vectors,
                                                       const struct outer_grad *item,
                                                       const float *const from[],
                                                       const float *small, float *const sums[])
{
    multiply_of(columns, vectors, false, item, from, small, sums);
}

static __attribute__((noinline, unused)) void
multiply_straight(int columns, int vectors, const struct outer_grad *item,
                  const float *const from[], const float *small, float *const sums[])
{
    multiply_of(columns, vectors, true, item, from, small, sums);
}

#endif
