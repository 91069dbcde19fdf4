/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of floats with the rows of a matrix, which is read where it lies: with each of
 * them, and their weighted sum. Four rows share what is read of it. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_ROW_PRODUCTS_H
#define ACLNN_CPU_KERNELS_VECTOR_ROW_PRODUCTS_H

#include "kernels/vector/lanes.h"
#include "kernels/vector/transpose.h"

enum {
    ROW_LANES = 16,             /* sums of a product of rows, the same at every level */
    ROW_PARTS = ROW_LANES / VL, /* vectors of them */
    ROW_VECTORS = 4,            /* of a weighted sum, at once */
    ROW_AHEAD = 16,             /* rows between what is read and what is prefetched */
    ROWS_TOGETHER = 4,          /* of floats */
};

/* Rows `apart` bytes from each other. */
struct row_matrix {
    enum k_dtype dtype;
    const char *at;
    int64_t apart, rows, columns;
};

/* Of so many rows; what belongs to one is `next` floats from what belongs to the one before. */
struct row_floats {
    int64_t rows, next;
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

/* Terms from `from` on of the products with a row, added to part[][]. */
K_TEMPLATE
void dot_rest(enum k_dtype dt, int several, const float *x, int64_t next, int64_t from, int64_t d,
              const char *row, vf part[][ROW_PARTS])
{
#pragma GCC unroll 4
    for (int p = 0; p < ROW_PARTS; p++) {
        const int64_t term = from + p * VL, left = d - term;
        if (left <= 0) break;
        const char *at = v_address(row, term * k_size(dt));
        const vf y = left >= VL ? k_load(dt, at) : k_load_first(dt, at, (int)left);
#pragma GCC unroll 4
        for (int r = 0; r < several; r++)
            part[r][p] = v_fma(v_load(x + r * next + term), y, part[r][p]);
    }
}

/* dots[] = the products of some rows with those of the matrix, up to whole vectors. */
K_TEMPLATE
void dots_of(enum k_dtype dt, int several, const struct row_matrix *m, const float *x, int64_t next,
             float *dots)
{
    const int64_t d = m->columns, whole = d / ROW_LANES * ROW_LANES;
    const int64_t ahead = m->rows > ROW_AHEAD ? ROW_AHEAD * m->apart : 0;
    for (int64_t row = 0; row < m->rows; row += VL) {
        vf sum[ROWS_TOGETHER][VL];
        for (int64_t i = 0; i < VL; i++) {
            const int64_t last = m->rows - 1;
            const char *at = v_address(m->at, (row + i < last ? row + i : last) * m->apart);
            vf part[ROWS_TOGETHER][ROW_PARTS] = {{{0}}};
            for (int64_t term = 0; term < whole; term += ROW_LANES) {
                __builtin_prefetch(v_address(at, ahead + term * k_size(dt)), 0, 2);
#pragma GCC unroll 4
                for (int p = 0; p < ROW_PARTS; p++) {
                    const vf y = k_load(dt, v_address(at, (term + p * VL) * k_size(dt)));
#pragma GCC unroll 4
                    for (int r = 0; r < several; r++)
                        part[r][p] = v_fma(v_load(x + r * next + term + p * VL), y, part[r][p]);
                }
            }
            if (whole < d) dot_rest(dt, several, x, next, whole, d, at, part);
#pragma GCC unroll 4
            for (int r = 0; r < several; r++)
                sum[r][i] = row_join(part[r]);
        }
#pragma GCC unroll 4
        for (int r = 0; r < several; r++) {
            v_transpose(sum[r]);
#pragma GCC unroll 4
            for (int step = VL / 2; step > 0; step /= 2)
#pragma GCC unroll 8
                for (int i = 0; i < step; i++)
                    sum[r][i] += sum[r][i + step];
            v_store(dots + r * next + row, sum[r][0]);
        }
    }
}

/* sums[] = sums[] * factor + sum over rows of weight * row, so many vectors of them, all whole or
 * one of `lanes`. */
K_TEMPLATE
void add_vectors(enum k_dtype dt, int several, int vectors, int64_t lanes,
                 const struct row_matrix *m, int64_t first, const float *weights,
                 const float *factor, int64_t next, float *sums)
{
    const int64_t ahead = m->rows > ROW_AHEAD ? ROW_AHEAD * m->apart : 0;
    vf sum[ROWS_TOGETHER][ROW_VECTORS];
#pragma GCC unroll 4
    for (int r = 0; r < several; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = v_load(sums + r * next + first + v * VL) * factor[r * next];
    for (int64_t row = 0; row < m->rows; row++) {
        const char *at = v_address(m->at, row * m->apart + first * k_size(dt));
        __builtin_prefetch(v_address(at, ahead), 0, 2);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            const vf y = lanes == VL ? k_load(dt, at + v * VL * k_size(dt))
                                     : k_load_first(dt, at, (int)lanes);
#pragma GCC unroll 4
            for (int r = 0; r < several; r++)
                sum[r][v] = v_fma(v_all(weights[r * next + row]), y, sum[r][v]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < several; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            v_store(sums + r * next + first + v * VL, sum[r][v]);
}

K_TEMPLATE
void sums_of(enum k_dtype dt, int several, const struct row_matrix *m, const float *weights,
             const float *factor, int64_t next, float *sums)
{
    const int vectors = several == 1 ? ROW_VECTORS : ROW_VECTORS / 2;
    int64_t first = 0;
    for (; first + vectors * VL <= m->columns; first += vectors * VL)
        add_vectors(dt, several, vectors, VL, m, first, weights, factor, next, sums);
    for (; first + VL <= m->columns; first += VL)
        add_vectors(dt, several, 1, VL, m, first, weights, factor, next, sums);
    if (first < m->columns)
        add_vectors(dt, several, 1, m->columns - first, m, first, weights, factor, next, sums);
}

K_TEMPLATE
void all_dots_of(enum k_dtype dt, const struct row_matrix *m, struct row_floats f, const float *x,
                 float *dots)
{
    int64_t row = 0;
    for (; row + ROWS_TOGETHER <= f.rows; row += ROWS_TOGETHER)
        dots_of(dt, ROWS_TOGETHER, m, x + row * f.next, f.next, dots + row * f.next);
    for (; row < f.rows; row++)
        dots_of(dt, 1, m, x + row * f.next, f.next, dots + row * f.next);
}

K_TEMPLATE
void all_sums_of(enum k_dtype dt, const struct row_matrix *m, struct row_floats f,
                 const float *weights, const float *factor, float *sums)
{
    int64_t row = 0;
    for (; row + ROWS_TOGETHER <= f.rows; row += ROWS_TOGETHER)
        sums_of(dt, ROWS_TOGETHER, m, weights + row * f.next, factor + row * f.next, f.next,
                sums + row * f.next);
    for (; row < f.rows; row++)
        sums_of(dt, 1, m, weights + row * f.next, factor + row * f.next, f.next,
                sums + row * f.next);
}

/* dots[]: of x[] with each row of the matrix, up to whole vectors. */
static void row_dots(const struct row_matrix *m, struct row_floats f, const float *x, float *dots)
{
    if (m->dtype == K_F32)
        all_dots_of(K_F32, m, f, x, dots);
    else if (m->dtype == K_F16)
        all_dots_of(K_F16, m, f, x, dots);
    else
        all_dots_of(K_BF16, m, f, x, dots);
}

/* sums[] = sums[] * factor + sum over the matrix's rows of weight * row */
static void row_sums(const struct row_matrix *m, struct row_floats f, const float *weights,
                     const float *factor, float *sums)
{
    if (m->dtype == K_F32)
        all_sums_of(K_F32, m, f, weights, factor, sums);
    else if (m->dtype == K_F16)
        all_sums_of(K_F16, m, f, weights, factor, sums);
    else
        all_sums_of(K_BF16, m, f, weights, factor, sums);
}

#endif
