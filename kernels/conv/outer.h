/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of outer products in registers: single elements of up to OUTER_COLUMNS places of a band,
 * each times vectors that lie side by side. */
#ifndef ACLNN_CPU_KERNELS_CONV_OUTER_H
#define ACLNN_CPU_KERNELS_CONV_OUTER_H

#include "kernels/conv/conv_plan.h"
#include "kernels/vector/lanes.h"
#include "kernels/vector/pairs.h"

enum {
    OUTER_COLUMNS = 6,
    OUTER_VECTORS = K_VECTOR_BYTES == 64 ? 4 : 2, /* that are taken at once */
};

/* `count` terms: elements of a band from `from` on, seen from a column's place, and rows of vectors
 * from number `row` on. */
struct outer_run {
    int32_t from, row, count;
};

/* A block of sums: of each column, its place in the band and where its sums lie. */
struct outer_block {
    const struct outer_run *run;
    int runs;
    bool add; /* to what is there */
    const float *rows;
    int64_t width;     /* floats from row to row */
    const char *ahead; /* what is needed soon: prefetched with each term, so many bytes further */
    int64_t ahead_step;
    int64_t place[OUTER_COLUMNS];
    float *sums[OUTER_COLUMNS];
};

/* sums[column][] = or += sum over the terms of band[place[column] + term] * rows[term][] */
K_TEMPLATE
void outer_sums(int columns, int vectors, const float *band, const struct outer_block *b)
{
    vf sum[OUTER_COLUMNS][OUTER_VECTORS];
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[c][v] = (vf){0};
    const int64_t width = b->width, ahead_step = b->ahead_step;
    const char *ahead = b->ahead;
    for (int r = 0; r < b->runs; r++) {
        const float *row = b->rows + b->run[r].row * width, *x[OUTER_COLUMNS];
#pragma GCC unroll 6
        for (int c = 0; c < columns; c++)
            x[c] = band + (b->place[c] + b->run[r].from);
        const int64_t count = b->run[r].count;
        for (int64_t i = 0; i < count; i++) {
            __builtin_prefetch(ahead, 0, 2);
            ahead += ahead_step;
            vf m[OUTER_VECTORS];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                m[v] = v_keep(v_load(row + v * VL));
#pragma GCC unroll 6
            for (int c = 0; c < columns; c++) {
                const vf element = v_keep(v_all(x[c][i]));
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++)
                    sum[c][v] = v_fma(element, m[v], sum[c][v]);
            }
            row += width;
        }
    }
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            float *at = b->sums[c] + v * VL;
            v_store(at, b->add ? v_load(at) + sum[c][v] : sum[c][v]);
        }
}

#if defined(K_PAIRS)
/* The same where all elements are pairs of bf16. */
K_TEMPLATE
K_PAIRS_TARGET void outer_sums_of_pairs(int columns, int vectors, const float *band,
                                        const struct outer_block *b)
{
    vf sum[OUTER_COLUMNS][OUTER_VECTORS];
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[c][v] = (vf){0};
    const int64_t width = b->width, ahead_step = b->ahead_step;
    const char *ahead = b->ahead;
    for (int r = 0; r < b->runs; r++) {
        const float *row = b->rows + b->run[r].row * width, *x[OUTER_COLUMNS];
#pragma GCC unroll 6
        for (int c = 0; c < columns; c++)
            x[c] = band + (b->place[c] + b->run[r].from);
        const int64_t count = b->run[r].count;
        for (int64_t i = 0; i < count; i++) {
            __builtin_prefetch(ahead, 0, 2);
            ahead += ahead_step;
            vu m[OUTER_VECTORS];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                m[v] = v_keep_pairs(v_load_pairs(row + v * VL));
#pragma GCC unroll 6
            for (int c = 0; c < columns; c++) {
                uint32_t pair;
                memcpy(&pair, x[c] + i, sizeof pair);
                const vu element = v_keep_pairs(v_all_pairs(pair));
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++)
                    sum[c][v] = v_dot(element, m[v], sum[c][v]);
            }
            row += width;
        }
    }
#pragma GCC unroll 6
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            float *at = b->sums[c] + v * VL;
            v_store(at, b->add ? v_load(at) + sum[c][v] : sum[c][v]);
        }
}
#endif

K_TEMPLATE
void outer_columns(int columns, int vectors, const float *band, const struct outer_block *block)
{
    switch (columns) {
    case 6:
        outer_sums(6, vectors, band, block);
        break;
    case 5:
        outer_sums(5, vectors, band, block);
        break;
    case 4:
        outer_sums(4, vectors, band, block);
        break;
    case 3:
        outer_sums(3, vectors, band, block);
        break;
    case 2:
        outer_sums(2, vectors, band, block);
        break;
    default:
        outer_sums(1, vectors, band, block);
        break;
    }
}

static __attribute__((noinline, unused)) void
outer_multiply(int columns, int vectors, const float *band, const struct outer_block *block)
{
    if (vectors == OUTER_VECTORS)
        outer_columns(columns, OUTER_VECTORS, band, block);
    else if (OUTER_VECTORS > 2 && vectors == 2)
        outer_columns(columns, 2, band, block);
    else
        outer_columns(columns, 1, band, block);
}

#if defined(K_PAIRS)
K_TEMPLATE
K_PAIRS_TARGET void outer_columns_of_pairs(int columns, int vectors, const float *band,
                                           const struct outer_block *block)
{
    switch (columns) {
    case 6:
        outer_sums_of_pairs(6, vectors, band, block);
        break;
    case 5:
        outer_sums_of_pairs(5, vectors, band, block);
        break;
    case 4:
        outer_sums_of_pairs(4, vectors, band, block);
        break;
    case 3:
        outer_sums_of_pairs(3, vectors, band, block);
        break;
    case 2:
        outer_sums_of_pairs(2, vectors, band, block);
        break;
    default:
        outer_sums_of_pairs(1, vectors, band, block);
        break;
    }
}

static __attribute__((noinline, unused)) K_PAIRS_TARGET void
outer_multiply_pairs(int columns, int vectors, const float *band, const struct outer_block *block)
{
    if (vectors == OUTER_VECTORS)
        outer_columns_of_pairs(columns, OUTER_VECTORS, band, block);
    else if (vectors == 2)
        outer_columns_of_pairs(columns, 2, band, block);
    else
        outer_columns_of_pairs(columns, 1, band, block);
}
#endif

/* Vectors that are taken at once when so many are left. */
static inline int outer_at_once(int64_t left)
{
    return left >= OUTER_VECTORS ? OUTER_VECTORS : left >= 2 ? 2 : 1;
}

#endif
