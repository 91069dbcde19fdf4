/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a few rows with a large matrix, which is read once, where it lies: such products wait
 * for memory.
 *
 * dots: the columns of b are contiguous (a layer's weight, transposed). Four columns at a time,
 * sums of 16 lanes that are added in a fixed order. sweep: the rows of b are contiguous. Eight rows
 * at a time are added to sums that stay in L1. */
#include "kernels/gemm/gemm_item.h"

#ifndef K_ISA_base
enum {
    DOT_LANES = 16,
    DOT_PARTS = DOT_LANES / VL, /* vectors of a sum */
    DOT_GROUP = 4,              /* columns at once */
    DOT_TERMS = 1024,           /* of a, at once */
    DOT_SUMS = 64,              /* columns of an item, at most */
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

/* sums[0 .. columns) += the dot products of `terms` floats with the columns at `b`, `apart` bytes
 * from each other. */
K_TEMPLATE
void add_dots(enum k_dtype dt, int columns, const float *a, const char *b, int64_t apart,
              int64_t terms, enum k_rounding rounding, float *sums)
{
    vf sum[DOT_GROUP][DOT_PARTS];
#pragma GCC unroll 4
    for (int c = 0; c < columns; c++)
#pragma GCC unroll 4
        for (int p = 0; p < DOT_PARTS; p++)
            sum[c][p] = (vf){0};
    for (int64_t i = 0; i < terms; i += DOT_LANES)
#pragma GCC unroll 4
        for (int p = 0; p < DOT_PARTS; p++) {
            const int64_t at = i + p * VL, left = terms - at;
            if (left <= 0) break;
            const vf x = v_load(a + at);
#pragma GCC unroll 4
            for (int c = 0; c < columns; c++) {
                const char *from = b + c * apart + at * k_size(dt);
                vf y = left >= VL ? k_load(dt, from) : k_load_first(dt, from, (int)left);
                if (rounding != K_ROUND_NONE) y = v_round_operand(rounding, y);
                sum[c][p] = v_fma(x, y, sum[c][p]);
            }
        }
#pragma GCC unroll 4
    for (int c = 0; c < columns; c++) {
        float lane[DOT_LANES], quarter[4];
#pragma GCC unroll 4
        for (int p = 0; p < DOT_PARTS; p++)
            v_store(lane + p * VL, sum[c][p]);
        for (int i = 0; i < 4; i++)
            quarter[i] = (lane[i] + lane[i + 4]) + (lane[i + 8] + lane[i + 12]);
        sums[c] += (quarter[0] + quarter[1]) + (quarter[2] + quarter[3]);
    }
}

K_TEMPLATE
void add_all_dots(enum k_dtype dt, const struct gemm_item *item, const float *a, int64_t begin,
                  int64_t terms, float *sums)
{
    const struct k_gemm *g = item->gemm;
    const int64_t apart = g->b.column * k_size(dt);
    for (int64_t column = 0; column < item->columns; column += DOT_GROUP) {
        const char *b = v_address(item->b, column * apart + begin * k_size(dt));
        const int64_t left = item->columns - column;
        for (int64_t row = 0; row < item->rows; row++) {
            float *to = sums + row * DOT_SUMS + column;
            if (left >= DOT_GROUP)
                add_dots(dt, DOT_GROUP, a + row * DOT_TERMS, b, apart, terms, g->rounding, to);
            else
                for (int64_t c = 0; c < left; c++)
                    add_dots(dt, 1, a + row * DOT_TERMS, v_address(b, c * apart), apart, terms,
                             g->rounding, to + c);
        }
    }
}

k_fn K_SYMBOL(gemm_dots);

void K_SYMBOL(gemm_dots)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_gemm_view view = k_gemm_view_of(parameters);
    const enum k_dtype dt = view.gemm.b.dtype;
    float a[K_GEMM_FEW * DOT_TERMS];
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct gemm_item item = gemm_item_at(&view, buffers, i);
        float sums[K_GEMM_FEW * DOT_SUMS] = {0};
        for (int64_t begin = 0; begin < view.gemm.k; begin += DOT_TERMS) {
            const int64_t terms = gemm_min(view.gemm.k - begin, DOT_TERMS);
            widen_rows(&item, begin, terms, DOT_TERMS, a);
            if (dt == K_F32)
                add_all_dots(K_F32, &item, a, begin, terms, sums);
            else if (dt == K_F16)
                add_all_dots(K_F16, &item, a, begin, terms, sums);
            else
                add_all_dots(K_BF16, &item, a, begin, terms, sums);
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
