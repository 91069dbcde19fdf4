/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of floats with the rows of a matrix, which is read where it lies: with each of
 * them, and their weighted sum. Some rows of floats share what is read of it. */
#ifndef ACLNN_CPU_KERNELS_VECTOR_ROW_PRODUCTS_H
#define ACLNN_CPU_KERNELS_VECTOR_ROW_PRODUCTS_H

#include "kernels/vector/lanes.h"
#include "kernels/vector/transpose.h"

enum {
    ROW_LANES = 16,                      /* sums of a product of rows, the same at every level */
    ROW_PARTS = ROW_LANES / VL,          /* vectors of them */
    ROW_BESIDE = ROW_PARTS == 1 ? 2 : 1, /* rows of the matrix, at once */
    ROW_VECTORS = 4,                     /* of a weighted sum, at once */
#if defined K_ISA_base && !defined __aarch64__
    ROWS_TOGETHER = 2, /* rows of floats, at most, for which registers suffice */
#else
    ROWS_TOGETHER = 5,
#endif
};

/* Rows `apart` bytes from each other; what lies `ahead` bytes behind is prefetched. */
struct row_matrix {
    enum k_dtype dtype;
    const char *at;
    int64_t apart, ahead, rows, columns;
};

/* So many rows, `next` floats from one to the next, and so for their weights, sums and dots. */
struct row_floats {
    int64_t rows, next, next_dots;
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

static inline float row_total(vf *sum)
{
    float lanes[VL];
    v_store(lanes, row_join(sum));
    for (int step = VL / 2; step > 0; step /= 2)
        for (int i = 0; i < step; i++)
            lanes[i] += lanes[i + step];
    return lanes[0];
}

/* ROW_LANES terms of the products of some rows, of which `left` are there. */
K_TEMPLATE
void dot_lanes(enum k_dtype dt, enum k_rounding rounding, int several, const float *x, int64_t next,
               const char *const at[ROW_BESIDE], int64_t term, int64_t left,
               vf part[][ROW_BESIDE][ROW_PARTS])
{
#pragma GCC unroll 4
    for (int p = 0; p < ROW_PARTS; p++) {
        if (left <= p * VL) break;
        vf y[ROW_BESIDE];
#pragma GCC unroll 2
        for (int b = 0; b < ROW_BESIDE; b++) {
            const char *from = v_address(at[b], (term + p * VL) * k_size(dt));
            y[b] = left >= (p + 1) * VL ? k_load(dt, from)
                                        : k_load_first(dt, from, (int)(left - p * VL));
            if (rounding != K_ROUND_NONE) y[b] = v_round_operand(rounding, y[b]);
        }
#pragma GCC unroll 8
        for (int r = 0; r < several; r++) {
            const vf own = v_load(x + r * next + term + p * VL);
#pragma GCC unroll 2
            for (int b = 0; b < ROW_BESIDE; b++)
                part[r][b][p] = v_fma(own, y[b], part[r][b][p]);
        }
    }
}

/* dots[] = the products of some rows with those of the matrix, up to whole vectors. */
K_TEMPLATE
void dots_of(enum k_dtype dt, enum k_rounding rounding, int several, const struct row_matrix *m,
             const float *x, struct row_floats f, float *dots)
{
    const int64_t d = m->columns, whole = d / ROW_LANES * ROW_LANES, last = m->rows - 1;
    for (int64_t row = 0; row <= last; row += VL) {
        vf sum[ROWS_TOGETHER][VL];
        for (int64_t i = 0; i < VL; i += ROW_BESIDE) {
            const char *at[ROW_BESIDE];
            vf part[ROWS_TOGETHER][ROW_BESIDE][ROW_PARTS] = {{{{0}}}};
#pragma GCC unroll 2
            for (int b = 0; b < ROW_BESIDE; b++)
                at[b] = v_address(m->at, (row + i + b < last ? row + i + b : last) * m->apart);
            for (int64_t term = 0; term < whole; term += ROW_LANES) {
#pragma GCC unroll 2
                for (int b = 0; b < ROW_BESIDE; b++)
                    __builtin_prefetch(v_address(at[b], m->ahead + term * k_size(dt)), 0, 2);
                dot_lanes(dt, rounding, several, x, f.next, at, term, ROW_LANES, part);
            }
            if (whole < d) dot_lanes(dt, rounding, several, x, f.next, at, whole, d - whole, part);
#pragma GCC unroll 8
            for (int r = 0; r < several; r++)
#pragma GCC unroll 2
                for (int b = 0; b < ROW_BESIDE; b++)
                    sum[r][i + b] = row_join(part[r][b]);
        }
#pragma GCC unroll 8
        for (int r = 0; r < several; r++) {
            v_transpose(sum[r]);
#pragma GCC unroll 4
            for (int step = VL / 2; step > 0; step /= 2)
#pragma GCC unroll 8
                for (int i = 0; i < step; i++)
                    sum[r][i] += sum[r][i + step];
            v_store(dots + r * f.next_dots + row, sum[r][0]);
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
    vf sum[ROWS_TOGETHER][ROW_VECTORS];
#pragma GCC unroll 8
    for (int r = 0; r < several; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = v_load(sums + r * next + first + v * VL) * factor[r * next];
    for (int64_t row = 0; row < m->rows; row++) {
        const char *at = v_address(m->at, row * m->apart + first * k_size(dt));
        __builtin_prefetch(v_address(at, m->ahead), 0, 2);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            const vf y = lanes == VL ? k_load(dt, at + v * VL * k_size(dt))
                                     : k_load_first(dt, at, (int)lanes);
#pragma GCC unroll 8
            for (int r = 0; r < several; r++)
                sum[r][v] = v_fma(v_all(weights[r * next + row]), y, sum[r][v]);
        }
    }
#pragma GCC unroll 8
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

/* How many of the rows that are left. */
static inline int64_t row_several(int64_t left)
{
    if (ROWS_TOGETHER == 5 && left >= 4) return left == 5 ? 5 : 4;
    return left >= 2 ? 2 : 1;
}

K_TEMPLATE
void all_dots_of(enum k_dtype dt, enum k_rounding rounding, const struct row_matrix *m,
                 struct row_floats f, const float *x, float *dots)
{
    for (int64_t row = 0, several; row < f.rows; row += several) {
        const float *own = x + row * f.next;
        float *to = dots + row * f.next_dots;
        several = row_several(f.rows - row);
        if (several == 1)
            dots_of(dt, rounding, 1, m, own, f, to);
        else if (several == 2)
            dots_of(dt, rounding, 2, m, own, f, to);
        else if (several == ROWS_TOGETHER)
            dots_of(dt, rounding, ROWS_TOGETHER, m, own, f, to);
        else
            dots_of(dt, rounding, ROWS_TOGETHER - 1, m, own, f, to);
    }
}

K_TEMPLATE
void all_sums_of(enum k_dtype dt, const struct row_matrix *m, struct row_floats f,
                 const float *weights, const float *factor, float *sums)
{
    for (int64_t row = 0, several; row < f.rows; row += several) {
        const int64_t at = row * f.next;
        several = row_several(f.rows - row);
        if (several == 1)
            sums_of(dt, 1, m, weights + at, factor + at, f.next, sums + at);
        else if (several == 2)
            sums_of(dt, 2, m, weights + at, factor + at, f.next, sums + at);
        else if (several == ROWS_TOGETHER)
            sums_of(dt, ROWS_TOGETHER, m, weights + at, factor + at, f.next, sums + at);
        else
            sums_of(dt, ROWS_TOGETHER - 1, m, weights + at, factor + at, f.next, sums + at);
    }
}

/* dots[]: of x[] with each row of the matrix, up to whole vectors. */
static inline void row_dots(const struct row_matrix *m, struct row_floats f, const float *x,
                            float *dots)
{
    if (m->dtype == K_F32)
        all_dots_of(K_F32, K_ROUND_NONE, m, f, x, dots);
    else if (m->dtype == K_F16)
        all_dots_of(K_F16, K_ROUND_NONE, m, f, x, dots);
    else
        all_dots_of(K_BF16, K_ROUND_NONE, m, f, x, dots);
}

/* The same with elements of the matrix, f32 or bf16, rounded first. */
static inline void row_dots_rounded(const struct row_matrix *m, enum k_rounding rounding,
                                    struct row_floats f, const float *x, float *dots)
{
    if (m->dtype == K_F32)
        all_dots_of(K_F32, rounding, m, f, x, dots);
    else
        all_dots_of(K_BF16, K_ROUND_F16, m, f, x, dots);
}

/* sums[] = sums[] * factor + sum over the matrix's rows of weight * row */
static inline void row_sums(const struct row_matrix *m, struct row_floats f, const float *weights,
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
