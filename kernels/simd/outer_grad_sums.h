/* SPDX-License-Identifier: Apache-2.0 */
/* conv_outer_grad's blocks of sums in registers. */
#ifndef ACLNN_CPU_KERNELS_SIMD_OUTER_GRAD_SUMS_H
#define ACLNN_CPU_KERNELS_SIMD_OUTER_GRAD_SUMS_H

#include "kernels/simd/outer_grad_pairs.h"

/* sums[column][m] += outer products of all positions: from[column] is where the column's first
 * tile begins in the band. One loop, so that the sums stay in registers. */
K_TEMPLATE
void outer_block(int columns, int vectors, const struct outer_grad *item, const float *const from[],
                 const float *small, float *const sums[])
{
    vf sum[BLOCK][SOME];
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[c][v] = v_load(sums[c] + v * VL);
    const int64_t terms = item->terms;
    const struct term *term = item->term;
    for (int64_t i = 0; i < terms; i++) {
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
                              int64_t terms, const float *const from[], const float *small,
                              vf sum[BLOCK][SOME])
{
    for (int64_t i = 0; i < terms; i++) {
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
K_PAIRS_TARGET void outer_pairs(int columns, int vectors, const struct outer_grad *item,
                                const float *const from[], const float *small, float *const sums[])
{
    vf sum[BLOCK][SOME];
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[c][v] = v_load(sums[c] + v * VL);
    add_pairs(columns, vectors, false, item->term, item->both, from, small, sum);
    add_pairs(columns, vectors, true, item->term + item->both, item->terms - item->both, from,
              small, sum);
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            v_store(sums[c] + v * VL, sum[c][v]);
}

K_TEMPLATE
K_PAIRS_TARGET void pairs_of_columns(int columns, int vectors, const struct outer_grad *item,
                                     const float *const from[], const float *small,
                                     float *const sums[])
{
    switch (columns) {
    case 6:
        outer_pairs(6, vectors, item, from, small, sums);
        break;
    case 5:
        outer_pairs(5, vectors, item, from, small, sums);
        break;
    case 4:
        outer_pairs(4, vectors, item, from, small, sums);
        break;
    case 3:
        outer_pairs(3, vectors, item, from, small, sums);
        break;
    case 2:
        outer_pairs(2, vectors, item, from, small, sums);
        break;
    default:
        outer_pairs(1, vectors, item, from, small, sums);
        break;
    }
}

static __attribute__((noinline, unused)) K_PAIRS_TARGET void
multiply_pairs(int columns, int vectors, const struct outer_grad *item, const float *const from[],
               const float *small, float *const sums[])
{
    if (vectors == SOME)
        pairs_of_columns(columns, SOME, item, from, small, sums);
    else if (vectors == 2)
        pairs_of_columns(columns, 2, item, from, small, sums);
    else
        pairs_of_columns(columns, 1, item, from, small, sums);
}

#endif

K_TEMPLATE
void outer_columns(int columns, int vectors, const struct outer_grad *item,
                   const float *const from[], const float *small, float *const sums[])
{
    switch (columns) {
    case 6:
        outer_block(6, vectors, item, from, small, sums);
        break;
    case 5:
        outer_block(5, vectors, item, from, small, sums);
        break;
    case 4:
        outer_block(4, vectors, item, from, small, sums);
        break;
    case 3:
        outer_block(3, vectors, item, from, small, sums);
        break;
    case 2:
        outer_block(2, vectors, item, from, small, sums);
        break;
    default:
        outer_block(1, vectors, item, from, small, sums);
        break;
    }
}

static __attribute__((noinline, unused)) void multiply(int columns, int vectors,
                                                       const struct outer_grad *item,
                                                       const float *const from[],
                                                       const float *small, float *const sums[])
{
    if (vectors == SOME)
        outer_columns(columns, SOME, item, from, small, sums);
    else if (SOME > 2 && vectors == 2)
        outer_columns(columns, 2, item, from, small, sums);
    else
        outer_columns(columns, 1, item, from, small, sums);
}

#endif
