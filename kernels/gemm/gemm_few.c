/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a few rows with a large matrix, which is read once, where it lies: such products wait
 * for memory.
 *
 * dots: the columns of b are contiguous (a layer's weight, transposed). One after the other, as
 * hardware prefetches them best; sums of 64 lanes (of several rows, 16) that are added in a fixed
 * order. sweep: the rows of b are contiguous. Eight rows at a time are added to sums that stay in
 * L1. */
#include "kernels/gemm/gemm_few.h"
#include "kernels/gemm/gemm_item.h"
#include "kernels/vector/row_products.h"

#ifndef K_ISA_base
enum {
    DOT_LANES = 64,
    DOT_PARTS = DOT_LANES / VL, /* vectors of a sum */
    DOT_ROOM = 1 << 14,         /* terms of all rows of a, at once */
    DOT_SUMS = 64,              /* columns of an item, at most */
    DOT_AHEAD = 2048,           /* bytes between what is read and what is prefetched */
    SWEEP_TERMS = 8,
};

/* Terms [begin, begin + terms) of each row of a, as floats, rows `apart` floats from each other. */
static void widen_rows(const struct gemm_item *item, int64_t begin, int64_t terms, int64_t apart,
                       float *to)
{
    const struct k_gemm *g = item->gemm;
    for (int64_t row = 0; row < item->rows; row++) {
        float *at = to + row * apart;
        widen(g->a.dtype,
              v_address(item->a, k_size(g->a.dtype) * (row * g->a.row + begin * g->a.column)),
              g->a.column, terms, at);
        for (int64_t i = 0; g->rounding != K_ROUND_NONE && i < terms; i += VL)
            v_store(at + i, v_round_operand(g->rounding, v_load(at + i)));
    }
}

static void finish_rows(const struct gemm_item *item, const float *sums, int64_t apart)
{
    for (int64_t row = 0; row < item->rows; row++)
        gemm_finish(item, row, 0, item->columns, sums + row * apart);
}

/* ---- dots ---- */

/* VL terms of a column, of which `left` are there. */
K_TEMPLATE
vf load_terms(enum k_dtype dt, const char *b, int64_t left, enum k_rounding rounding)
{
    const vf y = left >= VL ? k_load(dt, b) : k_load_first(dt, b, (int)left);
    return rounding != K_ROUND_NONE ? v_round_operand(rounding, y) : y;
}

/* The lanes of a sum. */
K_TEMPLATE
float add_lanes(const vf sum[DOT_PARTS])
{
    float lane[DOT_LANES / 4], quarter[4];
#pragma GCC unroll 4
    for (int p = 0; p < DOT_PARTS / 4; p++) {
        const int each = DOT_PARTS / 4;
        v_store(lane + p * VL, (sum[p] + sum[p + each]) + (sum[p + 2 * each] + sum[p + 3 * each]));
    }
    for (int q = 0; q < 4; q++)
        quarter[q] = (lane[q] + lane[q + 4]) + (lane[q + 8] + lane[q + 12]);
    return (quarter[0] + quarter[1]) + (quarter[2] + quarter[3]);
}

/* The dot product of `terms` floats with a column. Its order is that of DOT_LANES sums at every
 * level. */
K_TEMPLATE
float dot(enum k_dtype dt, const float *a, const char *b, int64_t terms, enum k_rounding rounding)
{
    vf sum[DOT_PARTS] = {{0}};
    int64_t i = 0;
    for (; i + DOT_LANES <= terms; i += DOT_LANES) {
        for (int64_t at = 0; at < DOT_LANES * k_size(dt); at += 64)
            __builtin_prefetch(v_address(b, i * k_size(dt) + DOT_AHEAD + at));
#pragma GCC unroll 16
        for (int p = 0; p < DOT_PARTS; p++)
            sum[p] = v_fma(v_load(a + i + p * VL),
                           load_terms(dt, v_address(b, (i + p * VL) * k_size(dt)), VL, rounding),
                           sum[p]);
    }
#pragma GCC unroll 16
    for (int p = 0; p < DOT_PARTS; p++, i += VL)
        if (i < terms)
            sum[p] =
                v_fma(v_load(a + i),
                      load_terms(dt, v_address(b, i * k_size(dt)), terms - i, rounding), sum[p]);
    return add_lanes(sum);
}

/* Of a single row. */
K_TEMPLATE
void add_dots(enum k_dtype dt, enum k_rounding rounding, const struct gemm_item *item,
              const float *a, int64_t begin, int64_t terms, float *sums)
{
    const int64_t apart = item->gemm->b.column * k_size(dt);
    for (int64_t column = 0; column < item->columns; column++)
        sums[column] +=
            dot(dt, a, v_address(item->b, column * apart + begin * k_size(dt)), terms, rounding);
}

/* Several rows share what is read of a column. */
static void add_shared_dots(const struct gemm_item *item, enum k_rounding rounding, const float *a,
                            int64_t run, int64_t begin, int64_t terms, float *sums)
{
    const struct k_gemm_matrix *b = &item->gemm->b;
    const int64_t size = k_size(b->dtype);
    const struct row_floats rows = {item->rows, run, DOT_SUMS};
    const struct row_matrix matrix = {.dtype = b->dtype,
                                      .at = v_address(item->b, begin * size),
                                      .apart = b->column * size,
                                      .ahead = DOT_AHEAD,
                                      .rows = item->columns,
                                      .columns = terms};
    float dots[K_GEMM_DOTS * DOT_SUMS];
    if (rounding == K_ROUND_NONE)
        row_dots(&matrix, rows, a, dots);
    else
        row_dots_rounded(&matrix, rounding, rows, a, dots);
    for (int64_t row = 0; row < item->rows; row++)
        for (int64_t column = 0; column < item->columns; column++)
            sums[row * DOT_SUMS + column] += dots[row * DOT_SUMS + column];
}

/* Elements of b that have no bits to lose are not rounded. */
static void add_dots_of(const struct gemm_item *item, const float *a, int64_t run, int64_t begin,
                        int64_t terms, float *sums)
{
    const enum k_dtype dt = item->gemm->b.dtype;
    const bool is_round = dt == K_F16 || (dt == K_BF16 && item->gemm->rounding != K_ROUND_F16);
    const enum k_rounding rounding = is_round ? K_ROUND_NONE : item->gemm->rounding;
    if (item->rows > 1)
        add_shared_dots(item, rounding, a, run, begin, terms, sums);
    else if (dt == K_F16)
        add_dots(K_F16, K_ROUND_NONE, item, a, begin, terms, sums);
    else if (dt == K_BF16 && rounding == K_ROUND_F16)
        add_dots(K_BF16, K_ROUND_F16, item, a, begin, terms, sums);
    else if (dt == K_BF16)
        add_dots(K_BF16, K_ROUND_NONE, item, a, begin, terms, sums);
    else if (rounding == K_ROUND_NONE)
        add_dots(K_F32, K_ROUND_NONE, item, a, begin, terms, sums);
    else
        add_dots(K_F32, rounding, item, a, begin, terms, sums);
}

k_fn K_SYMBOL(gemm_dots);

void K_SYMBOL(gemm_dots)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_gemm_view view = k_gemm_view_of(parameters);
    float a[DOT_ROOM];
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct gemm_item item = gemm_item_at(&view, buffers, i);
        float sums[K_GEMM_DOTS * DOT_SUMS] = {0};
        /* The fewer rows, the longer the runs of b, which hardware reads ahead. */
        const int64_t run = DOT_ROOM / item.rows / DOT_LANES * DOT_LANES;
        for (int64_t begin = 0; begin < view.gemm.k; begin += run) {
            const int64_t terms = gemm_min(view.gemm.k - begin, run);
            widen_rows(&item, begin, terms, run, a);
            add_dots_of(&item, a, run, begin, terms, sums);
        }
        finish_rows(&item, sums, DOT_SUMS);
    }
}

/* ---- sweep ---- */

/* sums[row][] += sum over the terms of a[row][term] * b[term][]; rows of sums are K_GEMM_SWEEP
 * floats apart, those of a K_GEMM_DEPTH. */
K_TEMPLATE
void add_rows(enum k_dtype dt, int terms, const struct gemm_item *item, const float *a,
              const char *b, float *sums)
{
    const int64_t apart = item->gemm->b.row * k_size(dt);
    for (int64_t column = 0; column < item->columns; column += VL) {
        const int64_t left = item->columns - column;
        vf x[SWEEP_TERMS];
#pragma GCC unroll 8
        for (int t = 0; t < terms; t++) {
            const char *at = v_address(b, t * apart + column * k_size(dt));
            x[t] = left >= VL ? k_load(dt, at) : k_load_first(dt, at, (int)left);
            if (item->gemm->rounding != K_ROUND_NONE)
                x[t] = v_round_operand(item->gemm->rounding, x[t]);
        }
        for (int64_t row = 0; row < item->rows; row++) {
            float *at = sums + row * K_GEMM_SWEEP + column;
            vf sum = v_load(at);
#pragma GCC unroll 8
            for (int t = 0; t < terms; t++)
                sum = v_fma(v_all(a[row * K_GEMM_DEPTH + t]), x[t], sum);
            v_store(at, sum);
        }
    }
}

K_TEMPLATE
void sweep_terms(enum k_dtype dt, const struct gemm_item *item, const float *a, int64_t begin,
                 int64_t terms, float *sums)
{
    const int64_t apart = item->gemm->b.row * k_size(dt);
    int64_t term = 0;
    for (; term + SWEEP_TERMS <= terms; term += SWEEP_TERMS)
        add_rows(dt, SWEEP_TERMS, item, a + term, v_address(item->b, (begin + term) * apart), sums);
    for (; term < terms; term++)
        add_rows(dt, 1, item, a + term, v_address(item->b, (begin + term) * apart), sums);
}

k_fn K_SYMBOL(gemm_sweep);

void K_SYMBOL(gemm_sweep)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_gemm_view view = k_gemm_view_of(parameters);
    const enum k_dtype dt = view.gemm.b.dtype;
    float a[K_GEMM_FEW * K_GEMM_DEPTH], sums[K_GEMM_FEW * K_GEMM_SWEEP];
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct gemm_item item = gemm_item_at(&view, buffers, i);
        memset(sums, 0, sizeof sums);
        for (int64_t begin = 0; begin < view.gemm.k; begin += K_GEMM_DEPTH) {
            const int64_t terms = gemm_min(view.gemm.k - begin, K_GEMM_DEPTH);
            widen_rows(&item, begin, terms, K_GEMM_DEPTH, a);
            if (dt == K_F32)
                sweep_terms(K_F32, &item, a, begin, terms, sums);
            else if (dt == K_F16)
                sweep_terms(K_F16, &item, a, begin, terms, sums);
            else
                sweep_terms(K_BF16, &item, a, begin, terms, sums);
        }
        finish_rows(&item, sums, K_GEMM_SWEEP);
    }
}
#endif
