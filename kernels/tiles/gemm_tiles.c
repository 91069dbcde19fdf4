/* SPDX-License-Identifier: Apache-2.0 */
/* Products of bf16 by the CPU's tiles (AMX), for all strides.
 *
 * An item packs as many terms of its columns of b as there is room for, which stay in L2, in strips
 * of V_TILES_EDGE columns. For each block of V_TILES_EDGE rows, TILES_DEPTH terms of a at a time
 * are multiplied by every strip: where they lie, or a copy where tiles cannot read them there. Sums
 * wait in the item's own block, or in c where that is f32 with contiguous rows. An item needs some
 * 920 KiB of stack. */
#include "kernels/gemm/gemm_item.h"
#include "kernels/gemm/gemm_pack.h"
#include "kernels/vector/tiles.h"
#include "kernels/vector/transpose.h"

#if defined(K_TILES)
enum {
    STEP = 2 * V_TILE,                        /* terms that a tile holds of a row */
    STEP_BYTES = 2 * STEP,                    /* of a row */
    STRIP_STEP = V_TILE * V_TILES_EDGE,       /* words of a strip */
    ROOM = 2 * K_GEMM_DEPTH * K_GEMM_COLUMNS, /* words */
    TILES_DEPTH = 512,
};

struct tiles_buffers {
    _Alignas(64) uint32_t columns[ROOM + PACK_SLACK]; /* [strip][pair of terms][column] */
    _Alignas(64) char rows[2 * V_TILES_EDGE * TILES_DEPTH];
    _Alignas(64) float sums[K_GEMM_ROWS * K_GEMM_COLUMNS];
    int64_t b_block, begin; /* what is in columns; -1: nothing */
};

/* Rows as tiles read them. */
struct tiles_rows {
    const char *at;
    int64_t apart; /* bytes */
};

static int64_t steps_of(int64_t terms)
{
    return (terms + STEP - 1) / STEP;
}

/* Terms of the item's columns, with zeros up to a whole step. */
static void pack_strips(const struct gemm_item *item, int64_t begin, int64_t terms,
                        struct tiles_buffers *own)
{
    const struct k_gemm *g = item->gemm;
    const int64_t strip_words = steps_of(terms) * STRIP_STEP;
    const int64_t words = (terms + 1) / 2 * V_TILES_EDGE;
    if (own->b_block == item->b_block && own->begin == begin) return;
    for (int64_t column = 0; column < item->columns; column += V_TILES_EDGE) {
        const struct gemm_strip strip = {
            .from = v_address(item->b, 2 * (column * g->b.column + begin * g->b.row)),
            .across = g->b.column,
            .along = g->b.row,
            .lanes = gemm_min(item->columns - column, V_TILES_EDGE),
            .terms = terms};
        float *to = (float *)(void *)(own->columns + column / V_TILES_EDGE * strip_words);
        if (strip.across == 1)
            pack_pairs(false, 2, strip.from, 2 * strip.along, strip.lanes, terms, to, 0);
        else
            pack_strip_of(K_BF16, true, V_TILES_EDGE, &strip, to);
        memset(to + words, 0, (size_t)(strip_words - words) * sizeof *to);
    }
    own->b_block = item->b_block;
    own->begin = begin;
}

/* A copy where rows are not contiguous, or end within a tile: zeros follow. */
static struct tiles_rows take_rows(const struct gemm_item *item, int64_t row, int64_t begin,
                                   int64_t terms, struct tiles_buffers *own)
{
    const struct k_gemm *g = item->gemm;
    const int64_t rows = gemm_min(item->rows - row, V_TILES_EDGE);
    const int64_t bytes = steps_of(terms) * STEP_BYTES;
    const char *from = v_address(item->a, 2 * (row * g->a.row + begin * g->a.column));
    const bool is_whole = terms % STEP == 0 && rows % V_TILE == 0;
    if (is_whole && g->a.column == 1) return (struct tiles_rows){from, 2 * g->a.row};
    if (!is_whole) memset(own->rows, 0, sizeof own->rows);
    if (g->a.row == 1)
        transpose_elements(2, from, 2 * g->a.column, own->rows, bytes, terms, rows);
    else
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < (g->a.column == 1 ? 1 : terms); j++)
                memcpy(own->rows + i * bytes + 2 * j,
                       v_address(from, 2 * (i * g->a.row + j * g->a.column)),
                       g->a.column == 1 ? (size_t)(2 * terms) : 2);
    return (struct tiles_rows){own->rows, bytes};
}

/* Columns of a block of rows whose sums may wait in c: those of whole tiles, and not where the
 * addend may be c. */
static int64_t stored_columns(const struct gemm_item *item, int64_t rows)
{
    const struct k_gemm *g = item->gemm;
    const bool may_be_c = g->has_addend && g->addend.row != 0 && g->addend.column != 0;
    if (g->c.dtype != K_F32 || g->c.column != 1 || may_be_c || rows % V_TILE != 0) return 0;
    const int64_t left = item->columns % V_TILES_EDGE;
    return item->columns - (left == V_TILE ? 0 : left);
}

static void finish_rows(const struct gemm_item *item, int64_t row, int64_t rows, int64_t stored,
                        const struct tiles_buffers *own)
{
    const struct k_gemm *g = item->gemm;
    for (int64_t i = row; i < row + rows; i++) {
        if (stored > 0 && gemm_has_epilogue(g))
            gemm_finish(item, i, 0, stored, (const float *)(const void *)item->c + i * g->c.row);
        if (stored < item->columns)
            gemm_finish(item, i, stored, item->columns - stored,
                        own->sums + i * K_GEMM_COLUMNS + stored);
    }
}

/* Adds the terms that own->columns hold, from `begin` on, to all sums of the item. */
static void multiply_terms(const struct gemm_item *item, int64_t begin, int64_t terms,
                           struct tiles_buffers *own)
{
    const struct k_gemm *g = item->gemm;
    const int64_t steps = steps_of(terms), parts = (terms + TILES_DEPTH - 1) / TILES_DEPTH;
    const int64_t part = (steps + parts - 1) / parts * STEP;
    for (int64_t row = 0; row < item->rows; row += V_TILES_EDGE) {
        const int64_t rows = gemm_min(item->rows - row, V_TILES_EDGE);
        const int64_t stored = stored_columns(item, rows);
        for (int64_t at = 0; at < terms; at += part) {
            const int64_t some = gemm_min(terms - at, part);
            const struct tiles_rows a = take_rows(item, row, begin + at, some, own);
            const uint32_t *strip = own->columns + at / STEP * STRIP_STEP;
            for (int64_t column = 0; column < item->columns; column += V_TILES_EDGE) {
                struct v_tile_sums sums = {own->sums + row * K_GEMM_COLUMNS + column,
                                           K_GEMM_COLUMNS, begin + at > 0};
                if (column < stored) {
                    sums.at = (float *)(void *)item->c + row * g->c.row + column;
                    sums.apart = g->c.row;
                }
                v_tiles_multiply(true, rows, item->columns - column, a.at, a.apart, strip,
                                 steps_of(some), sums);
                strip += steps * STRIP_STEP;
            }
        }
        if (begin + terms == g->k) finish_rows(item, row, rows, stored, own);
    }
}
#endif

k_fn K_SYMBOL(gemm_tiles);

void K_SYMBOL(gemm_tiles)(const void *parameters, void *const buffers[], struct k_slice slice)
{
#if defined(K_TILES)
    const struct k_gemm_view view = k_gemm_view_of(parameters);
    struct tiles_buffers own;
    own.b_block = own.begin = -1;
    v_tiles_begin();
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct gemm_item item = gemm_item_at(&view, buffers, i);
        const int64_t strips = (item.columns + V_TILES_EDGE - 1) / V_TILES_EDGE;
        const int64_t room = ROOM / (strips * STRIP_STEP) * STEP;
        for (int64_t begin = 0; begin < view.gemm.k; begin += room) {
            const int64_t terms = gemm_min(view.gemm.k - begin, room);
            pack_strips(&item, begin, terms, &own);
            multiply_terms(&item, begin, terms, &own);
        }
    }
    v_tiles_end();
#else
    (void)parameters, (void)buffers, (void)slice; /* no plan of this level has it */
#endif
}
