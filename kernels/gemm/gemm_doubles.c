/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of f64, for all strides: packed as gemm_packed.c does it, in vectors of
 * doubles. */
#include "kernels/gemm/gemm_item.h"

enum {
    DL = K_VECTOR_BYTES / 8, /* lanes */
    DOUBLE_ROWS = K_VECTOR_BYTES == 64 ? 8 : 4,
    DOUBLE_WIDTH = 3, /* vectors of columns */
    DOUBLE_COLUMNS = DOUBLE_WIDTH * DL,
    ITEM_ROWS = K_GEMM_ROWS / 2,
    ITEM_COLUMNS = K_GEMM_COLUMNS / 2,
};

typedef double vd __attribute__((vector_size(K_VECTOR_BYTES)));

struct double_buffers {
    _Alignas(64) double columns[K_GEMM_DEPTH * ITEM_COLUMNS]; /* [tile][term][column] */
    _Alignas(64) double panel[K_GEMM_DEPTH * DOUBLE_ROWS];    /* [term][row] */
    _Alignas(64) double sums[ITEM_ROWS * ITEM_COLUMNS];
};

/* to[term][lane], strides in elements; zeros behind the last lane. */
K_TEMPLATE
void pack_doubles(int width, const char *from, int64_t across, int64_t along, int64_t lanes,
                  int64_t terms, double *to)
{
    for (int64_t lane = 0; lane < width; lane++)
        for (int64_t term = 0; term < terms; term++) {
            double *at = to + term * width + lane;
            *at = 0;
            if (lane < lanes)
                memcpy(at, v_address(from, 8 * (lane * across + term * along)), sizeof *at);
        }
}

K_TEMPLATE
vd fma_doubles(vd a, vd b, vd c)
{
#if defined(K_ISA_avx512)
    return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(K_ISA_avx2)
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__ARM_NEON) && defined(__aarch64__)
    return (vd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}

/* sums[row][column] = or += sum over the terms of a[term][row] * b[term][column] */
static __attribute__((noinline)) void multiply_doubles(const double *a, const double *b,
                                                       int64_t terms, bool add, double *sums)
{
    vd sum[DOUBLE_ROWS][DOUBLE_WIDTH];
#pragma GCC unroll 8
    for (int r = 0; r < DOUBLE_ROWS; r++)
#pragma GCC unroll 3
        for (int v = 0; v < DOUBLE_WIDTH; v++)
            sum[r][v] = (vd){0};
    for (int64_t k = 0; k < terms; k++, a += DOUBLE_ROWS, b += DOUBLE_COLUMNS) {
        vd x[DOUBLE_WIDTH];
#pragma GCC unroll 3
        for (int v = 0; v < DOUBLE_WIDTH; v++) {
            memcpy(&x[v], b + v * DL, sizeof x[v]);
            x[v] = (vd)v_keep((vf)x[v]);
        }
#pragma GCC unroll 8
        for (int r = 0; r < DOUBLE_ROWS; r++) {
            const vd w = (vd)v_keep((vf)(a[r] - (vd){0}));
#pragma GCC unroll 3
            for (int v = 0; v < DOUBLE_WIDTH; v++)
                sum[r][v] = fma_doubles(w, x[v], sum[r][v]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < DOUBLE_ROWS; r++)
#pragma GCC unroll 3
        for (int v = 0; v < DOUBLE_WIDTH; v++) {
            double *at = sums + r * ITEM_COLUMNS + v * DL;
            vd value;
            memcpy(&value, at, sizeof value);
            value = add ? value + sum[r][v] : sum[r][v];
            memcpy(at, &value, sizeof value);
        }
}

static void multiply_terms(const struct gemm_item *item, int64_t begin, int64_t terms,
                           struct double_buffers *own)
{
    const struct k_gemm *g = item->gemm;
    for (int64_t column = 0; column < item->columns; column += DOUBLE_COLUMNS)
        pack_doubles(DOUBLE_COLUMNS,
                     v_address(item->b, 8 * (column * g->b.column + begin * g->b.row)), g->b.column,
                     g->b.row, gemm_min(item->columns - column, DOUBLE_COLUMNS), terms,
                     own->columns + column * K_GEMM_DEPTH);
    for (int64_t row = 0; row < item->rows; row += DOUBLE_ROWS) {
        pack_doubles(DOUBLE_ROWS, v_address(item->a, 8 * (row * g->a.row + begin * g->a.column)),
                     g->a.row, g->a.column, gemm_min(item->rows - row, DOUBLE_ROWS), terms,
                     own->panel);
        for (int64_t column = 0; column < item->columns; column += DOUBLE_COLUMNS)
            multiply_doubles(own->panel, own->columns + column * K_GEMM_DEPTH, terms, begin > 0,
                             own->sums + row * ITEM_COLUMNS + column);
    }
}

k_fn K_SYMBOL(gemm_doubles);

void K_SYMBOL(gemm_doubles)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_gemm_view view = k_gemm_view_of(parameters);
    struct double_buffers own;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct gemm_item item = gemm_item_at(&view, buffers, i);
        if (view.gemm.k == 0) memset(own.sums, 0, sizeof own.sums);
        for (int64_t begin = 0; begin < view.gemm.k; begin += K_GEMM_DEPTH)
            multiply_terms(&item, begin, gemm_min(view.gemm.k - begin, K_GEMM_DEPTH), &own);
        for (int64_t row = 0; row < item.rows; row++)
            gemm_finish_doubles(&item, row, (const char *)(own.sums + row * ITEM_COLUMNS), 1);
    }
}
