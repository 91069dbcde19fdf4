/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices from packed operands, for all strides and all types but f64.
 *
 * An item packs K_GEMM_DEPTH rows of its columns of b at a time, which stay in L2, then for each
 * panel of 8 rows packs those of a, which stay in L1 (of columns of bf16 pairs four panels at
 * once), and multiplies. Sums wait in the item's own block, or in c where that is f32 with
 * contiguous rows. Each sum is of runs of K_GEMM_DEPTH terms, whatever the level. An item needs
 * some 600 KiB of stack. */
#include "kernels/gemm/gemm_item.h"
#include "kernels/gemm/gemm_pack.h"
#include "kernels/gemm/gemm_panel.h"

struct packed_buffers {
    _Alignas(64) float columns[K_GEMM_DEPTH * K_GEMM_COLUMNS + PACK_SLACK];  /* [tile][term][] */
    _Alignas(64) float panels[4 * K_GEMM_DEPTH * K_GEMM_PANEL + PACK_SLACK]; /* [panel][term][] */
    _Alignas(64) float sums[K_GEMM_ROWS * K_GEMM_COLUMNS];
    int64_t b_block, begin; /* what is in columns; -1: nothing */
};

static __attribute__((noinline)) void pack_tile(enum k_dtype dt, bool pairs,
                                                const struct gemm_strip *strip, float *to)
{
#if defined(K_PAIRS)
    if (pairs && strip->across == 1) {
        pack_pairs(false, GEMM_WIDTH, strip->from, 2 * strip->along, strip->lanes, strip->terms, to,
                   0);
        return;
    }
#endif
    pack_strip(dt, pairs, GEMM_COLUMNS, strip, to);
}

static __attribute__((noinline)) void pack_panel(enum k_dtype dt, bool pairs,
                                                 const struct gemm_strip *strip, float *to)
{
    pack_strip(dt, pairs, K_GEMM_PANEL, strip, to);
}

/* Rows of a packed tile or panel of so many terms. */
static int64_t packed_rows(const struct k_gemm *g, int64_t terms)
{
    return g->cut.pairs ? (terms + 1) / 2 : terms;
}

static void pack_columns(const struct gemm_item *item, int64_t begin, int64_t terms,
                         struct packed_buffers *own)
{
    const struct k_gemm *g = item->gemm;
    const int64_t size = k_size(g->b.dtype);
    if (own->b_block == item->b_block && own->begin == begin) return;
    for (int64_t column = 0; column < item->columns; column += GEMM_COLUMNS) {
        const struct gemm_strip strip = {
            .from = v_address(item->b, size * (column * g->b.column + begin * g->b.row)),
            .across = g->b.column,
            .along = g->b.row,
            .lanes = gemm_min(item->columns - column, GEMM_COLUMNS),
            .terms = terms,
            .rounding = g->rounding};
        pack_tile(g->b.dtype, g->cut.pairs, &strip, own->columns + column * packed_rows(g, terms));
    }
    own->b_block = item->b_block;
    own->begin = begin;
}

/* Rows of a that are packed at once. */
static int64_t rows_at_once(const struct k_gemm *g)
{
#if defined(K_PAIRS)
    if (g->cut.pairs && g->a.row == 1) return PAIRS_ROWS;
#endif
    (void)g;
    return K_GEMM_PANEL;
}

static void pack_rows(const struct gemm_item *item, int64_t row, int64_t begin, int64_t terms,
                      float *to)
{
    const struct k_gemm *g = item->gemm;
    const struct gemm_strip strip = {
        .from = v_address(item->a, k_size(g->a.dtype) * (row * g->a.row + begin * g->a.column)),
        .across = g->a.row,
        .along = g->a.column,
        .lanes = gemm_min(item->rows - row, rows_at_once(g)),
        .terms = terms,
        .rounding = g->rounding};
#if defined(K_PAIRS)
    if (g->cut.pairs && g->a.row == 1) {
        pack_pairs(true, 2, strip.from, 2 * strip.along, strip.lanes, terms, to,
                   K_GEMM_PANEL * packed_rows(g, terms));
        return;
    }
#endif
    pack_panel(g->a.dtype, g->cut.pairs, &strip, to);
}

/* Whether sums may wait in c: not where the addend may be c. */
static bool sums_in_result(const struct k_gemm *g)
{
    const bool may_be_c = g->has_addend && g->addend.row != 0 && g->addend.column != 0;
    return g->c.dtype == K_F32 && g->c.column == 1 && !may_be_c && g->k > 0;
}

/* Columns of a row whose sums are in c: whole tiles. */
static int64_t stored_columns(const struct gemm_item *item, bool in_result)
{
    return in_result ? item->columns / GEMM_COLUMNS * GEMM_COLUMNS : 0;
}

static void multiply_terms(const struct gemm_item *item, int64_t begin, int64_t terms,
                           int64_t stored, struct packed_buffers *own)
{
    const struct k_gemm *g = item->gemm;
    pack_columns(item, begin, terms, own);
    for (int64_t row = 0; row < item->rows; row += K_GEMM_PANEL) {
        const int64_t ready = row % rows_at_once(g);
        if (ready == 0) pack_rows(item, row, begin, terms, own->panels);
        for (int64_t column = 0; column < item->columns; column += GEMM_COLUMNS) {
            struct gemm_sums sums = {own->sums + row * K_GEMM_COLUMNS + column, K_GEMM_COLUMNS,
                                     begin > 0};
            if (column < stored) {
                sums.at = (float *)(void *)item->c + row * g->c.row + column;
                sums.apart = g->c.row;
            }
            const float *tile = own->columns + column * packed_rows(g, terms);
            const int64_t rows = gemm_min(item->rows - row, K_GEMM_PANEL);
            multiply_any(g->cut.pairs, rows, (item->columns - column + VL - 1) / VL,
                         own->panels + ready * packed_rows(g, terms), tile, terms, sums);
        }
    }
}

static void run_item(const struct gemm_item *item, struct packed_buffers *own)
{
    const struct k_gemm *g = item->gemm;
    const int64_t stored = stored_columns(item, sums_in_result(g));
    for (int64_t begin = 0; begin < g->k; begin += K_GEMM_DEPTH)
        multiply_terms(item, begin, gemm_min(g->k - begin, K_GEMM_DEPTH), stored, own);
    if (g->k == 0) memset(own->sums, 0, sizeof own->sums);
    for (int64_t row = 0; row < item->rows; row++) {
        if (stored > 0 && gemm_has_epilogue(g))
            gemm_finish(item, row, 0, stored,
                        (const float *)(const void *)item->c + row * g->c.row);
        if (stored < item->columns)
            gemm_finish(item, row, stored, item->columns - stored,
                        own->sums + row * K_GEMM_COLUMNS + stored);
    }
}

k_fn K_SYMBOL(gemm_packed);

void K_SYMBOL(gemm_packed)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_gemm_view view = k_gemm_view_of(parameters);
    struct packed_buffers own;
    own.b_block = own.begin = -1;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct gemm_item item = gemm_item_at(&view, buffers, i);
        run_item(&item, &own);
    }
}
