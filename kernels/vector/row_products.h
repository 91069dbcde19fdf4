/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a row of floats with rows of a tensor that are read where they lie, `apart` bytes
 * from each other: with each of them, and their weighted sum. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_ROW_PRODUCTS_H
#define ACLNN_CPU_KERNELS_VECTOR_ROW_PRODUCTS_H

#include "kernels/vector/lanes.h"
#include "kernels/vector/transpose.h"

enum {
    ROW_LANES = 16,             /* sums of a product of rows, the same at every level */
    ROW_PARTS = ROW_LANES / VL, /* vectors of them */
    ROW_VECTORS = 4,            /* of a weighted sum, at once */
    ROW_AHEAD = 16,             /* rows between what is read and what is prefetched */
};

/* Sums of ROW_LANES lanes: lane i of the first vector has i and i + 8, or i, i + 4, i + 8 ... */
K_TEMPLATE
vf row_join(vf *sum)
{
#pragma GCC unroll 4
    for (int step = ROW_PARTS / 2; step > 0; step /= 2)
#pragma GCC unroll 4
        for (int p = 0; p < step; p++)
            sum[p] += sum[p + step];
    return sum[0];
}

/* Terms [from, d) of the product of x with a row, added to part[]. */
K_TEMPLATE
void dot_rest(enum k_dtype dt, const float *x, int64_t from, int64_t d, const char *row, vf *part)
{
#pragma GCC unroll 4
    for (int p = 0; p < ROW_PARTS; p++) {
        const int64_t term = from + p * VL, left = d - term;
        if (left <= 0) break;
        const char *at = v_address(row, term * k_size(dt));
        part[p] = v_fma(v_load(x + term),
                        left >= VL ? k_load(dt, at) : k_load_first(dt, at, (int)left), part[p]);
    }
}

/* dots[] = the products of x with `count` rows, up to whole vectors. */
K_TEMPLATE
void dots_of(enum k_dtype dt, const float *x, int64_t d, const char *rows, int64_t apart,
             int64_t count, float *dots)
{
    const int64_t whole = d / ROW_LANES * ROW_LANES;
    const int64_t ahead = count > ROW_AHEAD ? ROW_AHEAD * apart : 0;
    for (int64_t row = 0; row < count; row += VL) {
        vf sum[VL];
        for (int64_t i = 0; i < VL; i++) {
            const char *at = v_address(rows, (row + i < count ? row + i : count - 1) * apart);
            vf part[ROW_PARTS] = {{0}};
            for (int64_t term = 0; term < whole; term += ROW_LANES) {
                __builtin_prefetch(v_address(at, ahead + term * k_size(dt)), 0, 2);
#pragma GCC unroll 4
                for (int p = 0; p < ROW_PARTS; p++)
                    part[p] =
                        v_fma(v_load(x + term + p * VL),
                              k_load(dt, v_address(at, (term + p * VL) * k_size(dt))), part[p]);
            }
            if (whole < d) dot_rest(dt, x, whole, d, at, part);
            sum[i] = row_join(part);
        }
        v_transpose(sum);
#pragma GCC unroll 4
        for (int step = VL / 2; step > 0; step /= 2)
#pragma GCC unroll 8
            for (int i = 0; i < step; i++)
                sum[i] += sum[i + step];
        v_store(dots + row, sum[0]);
    }
}

/* sums[] = sums[] * factor + sum over rows of weight * row, so many vectors of them, all whole or
 * one of `lanes`. */
K_TEMPLATE
void add_vectors(enum k_dtype dt, int vectors, int64_t lanes, const float *weights, float factor,
                 const char *rows, int64_t apart, int64_t count, float *sums)
{
    const int64_t ahead = count > ROW_AHEAD ? ROW_AHEAD * apart : 0;
    vf sum[ROW_VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        sum[v] = v_load(sums + v * VL) * factor;
    for (int64_t row = 0; row < count; row++) {
        const char *at = v_address(rows, row * apart);
        const vf weight = v_all(weights[row]);
        __builtin_prefetch(v_address(at, ahead), 0, 2);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[v] = v_fma(weight,
                           lanes == VL ? k_load(dt, at + v * VL * k_size(dt))
                                       : k_load_first(dt, at, (int)lanes),
                           sum[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        v_store(sums + v * VL, sum[v]);
}

K_TEMPLATE
void add_rows_of(enum k_dtype dt, const float *weights, float factor, const char *rows,
                 int64_t apart, int64_t count, int64_t columns, float *sums)
{
    int64_t first = 0;
    for (; first + ROW_VECTORS * VL <= columns; first += ROW_VECTORS * VL)
        add_vectors(dt, ROW_VECTORS, VL, weights, factor, v_address(rows, first * k_size(dt)),
                    apart, count, sums + first);
    for (; first + VL <= columns; first += VL)
        add_vectors(dt, 1, VL, weights, factor, v_address(rows, first * k_size(dt)), apart, count,
                    sums + first);
    if (first < columns)
        add_vectors(dt, 1, columns - first, weights, factor, v_address(rows, first * k_size(dt)),
                    apart, count, sums + first);
}

static void row_dots(enum k_dtype dt, const float *x, int64_t d, const char *rows, int64_t apart,
                     int64_t count, float *dots)
{
    if (dt == K_F32)
        dots_of(K_F32, x, d, rows, apart, count, dots);
    else if (dt == K_F16)
        dots_of(K_F16, x, d, rows, apart, count, dots);
    else
        dots_of(K_BF16, x, d, rows, apart, count, dots);
}

static void row_sums(enum k_dtype dt, const float *weights, float factor, const char *rows,
                     int64_t apart, int64_t count, int64_t columns, float *sums)
{
    if (dt == K_F32)
        add_rows_of(K_F32, weights, factor, rows, apart, count, columns, sums);
    else if (dt == K_F16)
        add_rows_of(K_F16, weights, factor, rows, apart, count, columns, sums);
    else
        add_rows_of(K_BF16, weights, factor, rows, apart, count, columns, sums);
}

#endif
