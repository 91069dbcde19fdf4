/* SPDX-License-Identifier: Apache-2.0 */
/* As gemm_packed, but that columns are widened from the weight when they are packed: K_GEMM_DEPTH
 * terms of an item's columns at a time, for all of its rows. */
#include "kernels/gemm/gemm_pack.h"
#include "kernels/gemm/gemm_panel.h"
#include "kernels/quant/quant_weight.h"

enum { GROUPS = 16 }; /* of K_GEMM_DEPTH terms, rounded up to vectors */

struct packed_work {
    _Alignas(64) float columns[K_GEMM_DEPTH * K_GEMM_COLUMNS + PACK_SLACK]; /* [tile][term][] */
    _Alignas(64) float panel[K_GEMM_DEPTH * K_GEMM_PANEL + PACK_SLACK];     /* [term][row] */
    _Alignas(64) float sums[K_GEMM_ROWS * K_GEMM_COLUMNS];
    _Alignas(64) float wide[VL][K_GEMM_DEPTH]; /* terms of some columns */
    int64_t b_block, begin;                    /* what is in columns; -1: nothing */
};

/* Columns of the weight, their terms from `begin` on. */
struct strip {
    const struct k_quant *quant;
    void *const *buffers;
    int64_t column, columns, begin, terms;
};

static int64_t piece_end(const struct strip *s, int64_t term)
{
    const int64_t group = s->quant->group, at = s->begin + term;
    return gemm_min(s->terms, (at / group + 1) * group - s->begin);
}

/* ---- columns whose terms lie side by side ---- */

static void widen_piece(const struct strip *s, int64_t index, int64_t count, float scale,
                        float offset, float *to)
{
    const struct k_quant *q = s->quant;
    const char *weight = s->buffers[K_QUANT_WEIGHT];
    const vf by = v_all(scale), more = v_all(offset);
    int64_t i = 0;
    for (; !q->is_four && i + VL <= count; i += VL)
        v_store(to + i, (quant_load(false, 0, v_address(weight, index + i)) + more) * by);
    for (; q->is_four && index % 2 == 0 && i + 2 * VL <= count; i += 2 * VL) {
        const char *at = v_address(weight, (index + i) / 2);
        const vf even = (quant_load(true, 0, at) + more) * by;
        const vf odd = (quant_load(true, 1, at) + more) * by;
        float evens[VL], odds[VL];
        v_store(evens, even);
        v_store(odds, odd);
        for (int j = 0; j < VL; j++) {
            to[i + 2 * j] = evens[j];
            to[i + 2 * j + 1] = odds[j];
        }
    }
    for (; i < count; i++)
        to[i] = (quant_element(q->is_four, weight, index + i) + offset) * scale;
}

static void widen_column(const struct strip *s, int64_t column, float *to)
{
    const struct k_quant *q = s->quant;
    const int64_t first = s->begin / q->group, last = (s->begin + s->terms - 1) / q->group;
    float scales[GROUPS], offsets[GROUPS] = {0};
    quant_factors(&q->scale, s->buffers[K_QUANT_SCALE], first, column, q->scale.group,
                  last - first + 1, scales);
    if (q->has_offset)
        quant_factors(&q->offset, s->buffers[K_QUANT_OFFSET], first, column, q->offset.group,
                      last - first + 1, offsets);
    for (int64_t term = 0, end, piece = 0; term < s->terms; term = end, piece++) {
        end = piece_end(s, term);
        widen_piece(s, column * q->column + s->begin + term, end - term, scales[piece],
                    offsets[piece], to + term);
    }
}

static void pack_along_terms(const struct strip *s, struct packed_work *own, float *to)
{
    for (int64_t first = 0; first < GEMM_COLUMNS; first += VL) {
        for (int64_t lane = 0; lane < VL; lane++) {
            if (first + lane < s->columns)
                widen_column(s, s->column + first + lane, own->wide[lane]);
            else
                memset(own->wide[lane], 0, sizeof own->wide[lane]);
        }
        for (int64_t term = 0; term < s->terms; term += VL) {
            vf block[VL > 8 ? VL : 8];
            for (int i = 0; i < VL; i++)
                block[i] = v_load(own->wide[i] + term);
            v_transpose(block);
            for (int i = 0; i < VL; i++)
                v_store(to + (term + i) * GEMM_COLUMNS + first, block[i]);
        }
    }
}

/* ---- terms whose columns lie side by side ---- */

static void pack_along_columns(const struct strip *s, float *to)
{
    const struct k_quant *q = s->quant;
    const char *weight = s->buffers[K_QUANT_WEIGHT];
    float scales[GEMM_COLUMNS] = {0}, offsets[GEMM_COLUMNS] = {0};
    for (int64_t term = 0, end; term < s->terms; term = end) {
        const int64_t group = (s->begin + term) / q->group;
        end = piece_end(s, term);
        quant_factors(&q->scale, s->buffers[K_QUANT_SCALE], group, s->column, q->scale.column,
                      s->columns, scales);
        if (q->has_offset)
            quant_factors(&q->offset, s->buffers[K_QUANT_OFFSET], group, s->column,
                          q->offset.column, s->columns, offsets);
        for (int64_t t = term; t < end; t++) {
            const int64_t index = (s->begin + t) * q->row + s->column * q->column;
            float *row = to + t * GEMM_COLUMNS;
            int64_t c = 0;
            for (; !q->is_four && q->column == 1 && c + VL <= s->columns; c += VL)
                v_store(row + c,
                        (quant_load(false, 0, v_address(weight, index + c)) + v_load(offsets + c)) *
                            v_load(scales + c));
            for (; c < s->columns; c++)
                row[c] = (quant_element(q->is_four, weight, index + c * q->column) + offsets[c]) *
                         scales[c];
            for (; c < GEMM_COLUMNS; c++)
                row[c] = 0;
        }
    }
}

/* ---- items ---- */

static void pack_columns(const struct k_quant *q, void *const buffers[],
                         const struct gemm_item *item, int64_t begin, int64_t terms,
                         struct packed_work *own)
{
    const int64_t block = item->b_block % q->gemm.cut.column_blocks * q->gemm.cut.columns;
    if (own->b_block == item->b_block && own->begin == begin) return;
    for (int64_t column = 0; column < item->columns; column += GEMM_COLUMNS) {
        const struct strip strip = {
            q,     buffers, block + column, gemm_min(item->columns - column, GEMM_COLUMNS),
            begin, terms};
        float *to = own->columns + column * terms;
        if (q->row == 1)
            pack_along_terms(&strip, own, to);
        else
            pack_along_columns(&strip, to);
    }
    own->b_block = item->b_block;
    own->begin = begin;
}

static __attribute__((noinline)) void pack_rows(const struct gemm_item *item, int64_t row,
                                                int64_t begin, int64_t terms, float *to)
{
    const struct k_gemm *g = item->gemm;
    const struct gemm_strip strip = {
        .from = v_address(item->a, k_size(g->a.dtype) * (row * g->a.row + begin * g->a.column)),
        .across = g->a.row,
        .along = g->a.column,
        .lanes = gemm_min(item->rows - row, K_GEMM_PANEL),
        .terms = terms};
    pack_strip(g->a.dtype, false, K_GEMM_PANEL, &strip, to);
}

static void multiply_terms(const struct gemm_item *item, int64_t begin, int64_t terms,
                           struct packed_work *own)
{
    for (int64_t row = 0; row < item->rows; row += K_GEMM_PANEL) {
        const int64_t rows = gemm_min(item->rows - row, K_GEMM_PANEL);
        pack_rows(item, row, begin, terms, own->panel);
        for (int64_t column = 0; column < item->columns; column += GEMM_COLUMNS) {
            const struct gemm_sums sums = {own->sums + row * K_GEMM_COLUMNS + column,
                                           K_GEMM_COLUMNS, begin > 0};
            multiply_any(false, rows, (item->columns - column + VL - 1) / VL, own->panel,
                         own->columns + column * terms, terms, sums);
        }
    }
}

k_fn K_SYMBOL(quant_packed);

void K_SYMBOL(quant_packed)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_quant *q = parameters;
    const struct k_gemm_view view = {q->gemm, K_QUANT_X, K_QUANT_WEIGHT};
    struct packed_work own;
    own.b_block = own.begin = -1;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct gemm_item item = gemm_item_at(&view, buffers, i);
        for (int64_t begin = 0; begin < q->gemm.k; begin += K_GEMM_DEPTH) {
            const int64_t terms = gemm_min(q->gemm.k - begin, K_GEMM_DEPTH);
            pack_columns(q, buffers, &item, begin, terms, &own);
            multiply_terms(&item, begin, terms, &own);
        }
        for (int64_t row = 0; row < item.rows; row++)
            gemm_finish(&item, row, 0, item.columns, own.sums + row * K_GEMM_COLUMNS);
    }
}
