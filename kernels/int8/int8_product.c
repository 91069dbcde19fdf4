/* SPDX-License-Identifier: Apache-2.0 */
/* As gemm_packed, with words of two or four terms in place of a float: K_GEMM_DEPTH words of an
 * item's columns are packed at a time, for all of its rows. Where one factor of a dot product is
 * unsigned, the columns are 128 more, and 128 times the sum of each row is taken off. Columns of
 * INT4 are widened on the way. */
#include "kernels/int8/int8_block.h"
#include "kernels/int8/int8_fours.h"
#include "kernels/int8/int8_item.h"
#include "kernels/int8/int8_pack.h"
#include "kernels/vector/tiles.h"
#include "kernels/vector/transpose.h"

enum {
    SLACK = 16 * VL,         /* words that may be written behind a strip */
    TILE_TERMS = 4 * V_TILE, /* of a step */
};

struct work {
    _Alignas(64) uint32_t columns[K_GEMM_DEPTH * K_GEMM_COLUMNS + SLACK]; /* [tile][word][] */
    _Alignas(64) union {
        uint32_t panel[K_GEMM_DEPTH * K_GEMM_PANEL + SLACK]; /* [word][row] */
        uint32_t rows[V_TILES_EDGE * K_GEMM_DEPTH];          /* of tiles: [row][word] */
    };
    _Alignas(64) union {
        uint32_t sums[K_GEMM_ROWS * K_GEMM_COLUMNS];
        struct int8_fours fours;
    };
    uint32_t less[K_GEMM_ROWS]; /* what the sums of each row have too much */
    struct int8_factors factors;
    int64_t b_block, begin; /* what is in columns; -1: nothing */
    int64_t factors_of;     /* the columns that they are of */
};

K_TEMPLATE
void pack_columns(enum v_quads quads, const struct int8_item *item, int64_t begin, int64_t terms,
                  struct work *own)
{
    const struct k_gemm *g = &item->product->gemm;
    const int each = int8_word_terms(quads);
    const int64_t words = INT8_WHOLE(quads, (terms + each - 1) / each);
    if (own->b_block == item->b_block && own->begin == begin) return;
    for (int64_t column = 0; column < item->columns; column += GEMM_COLUMNS) {
        struct int8_strip strip = {.across = g->b.column,
                                   .along = g->b.row,
                                   .lanes = gemm_min(item->columns - column, GEMM_COLUMNS),
                                   .terms = terms,
                                   .flip = quads && QUADS_BIAS != 0 ? 0x80808080 : 0};
        if (item->product->is_four) {
            const char *from = v_address(item->b, (column + begin * g->b.row) / 2);
            K_SYMBOL(int8_fours)
            (from, g->b.row / 2, terms, strip.lanes, own->fours.bytes, own->fours.columns + column);
            strip.from = (const char *)own->fours.bytes;
            strip.along = INT8_FOURS_APART;
        } else {
            strip.from = v_address(item->b, column * g->b.column + begin * g->b.row);
        }
        int8_pack(quads, GEMM_COLUMNS, &strip, own->columns + column * words);
    }
    own->b_block = item->product->is_four ? -1 : item->b_block; /* their sums are made anew */
    own->begin = begin;
}

/* Adds 128 times the sums of a panel's rows. */
K_TEMPLATE
void add_less(enum v_quads quads, const uint32_t *panel, int64_t words, int64_t rows,
              uint32_t *less)
{
#if defined(K_QUADS)
    if (quads == NO_QUADS || QUADS_BIAS == 0) return;
    vu sums = {0};
    uint32_t lanes[VL];
    for (int64_t i = 0; i < words * K_GEMM_PANEL; i += VL)
        sums = v_dot_quads(v_all_u(0x80808080), v_load_u(panel + i), sums);
    v_store_u(lanes, sums);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = row; i < VL; i += K_GEMM_PANEL)
            less[row] += lanes[i];
#endif
    (void)quads, (void)panel, (void)words, (void)rows, (void)less;
}

K_TEMPLATE
void pack_rows(enum v_quads quads, const struct int8_item *item, int64_t row, int64_t begin,
               int64_t terms, struct work *own)
{
    const struct k_gemm *g = &item->product->gemm;
    const int each = int8_word_terms(quads);
    const int64_t words = INT8_WHOLE(quads, (terms + each - 1) / each);
    const struct int8_strip strip = {.from =
                                         v_address(item->a, row * g->a.row + begin * g->a.column),
                                     .across = g->a.row,
                                     .along = g->a.column,
                                     .lanes = gemm_min(item->rows - row, K_GEMM_PANEL),
                                     .terms = terms};
    int8_pack(quads, K_GEMM_PANEL, &strip, own->panel);
    memset(own->panel + words * K_GEMM_PANEL, 0, sizeof(vu)); /* whole vectors are summed */
    add_less(quads, own->panel, words, strip.lanes, own->less + row);
}

K_TEMPLATE
void multiply_terms(enum v_quads quads, const struct int8_item *item, int64_t begin, int64_t terms,
                    bool adds, struct work *own)
{
    const int each = int8_word_terms(quads);
    const int64_t words = INT8_WHOLE(quads, (terms + each - 1) / each);
    for (int64_t row = 0; row < item->rows; row += K_GEMM_PANEL) {
        const int64_t rows = gemm_min(item->rows - row, K_GEMM_PANEL);
        pack_rows(quads, item, row, begin, terms, own);
        for (int64_t column = 0; column < item->columns; column += GEMM_COLUMNS)
            int8_multiply(quads, (int)rows, (item->columns - column + VL - 1) / VL, own->panel,
                          own->columns + column * words, words,
                          (struct int8_sums){own->sums + row * K_GEMM_COLUMNS + column,
                                             K_GEMM_COLUMNS, adds});
    }
}

static void finish(const struct int8_item *item, void *const buffers[], struct work *own)
{
    if (own->factors_of != item->b_block)
        int8_load_factors(item->product, buffers, item->bias, item->column, item->columns,
                          &own->factors);
    own->factors_of = item->b_block;
    int8_finish_rows(item, buffers, &own->factors, own->sums, K_GEMM_COLUMNS, own->less, 0,
                     item->columns);
}

K_TEMPLATE
void run(enum v_quads quads, const struct k_int8 *p, void *const buffers[], struct k_slice slice,
         struct work *own)
{
    const int64_t depth = (int64_t)K_GEMM_DEPTH * int8_word_terms(quads);
    own->b_block = own->begin = own->factors_of = -1;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct int8_item item = int8_item_at(p, buffers, i);
        const int64_t rows = p->is_four ? INT8_FOURS_ROWS : item.rows;
        const int64_t part = p->is_four ? p->part : p->gemm.k;
        for (int64_t row = 0; row < item.rows; row += rows) {
            const struct int8_item some = int8_rows_of(&item, row, rows);
            int64_t begin = 0;
            do {
                const int64_t end = begin + part;
                memset(own->less, 0, sizeof own->less);
                if (p->is_four) int8_fours_begin(&some, buffers, begin, &own->fours);
                for (int64_t at = begin; at < end; at += depth) {
                    const int64_t terms = gemm_min(end - at, depth);
                    pack_columns(quads, &some, at, terms, own);
                    multiply_terms(quads, &some, at, terms, at > begin, own);
                }
                if (p->is_four) int8_fours_add(&some, own->less, &own->fours);
                begin = end;
            } while (begin < p->gemm.k);
            if (p->is_four)
                int8_fours_finish(&some, buffers, &own->factors, &own->fours);
            else
                finish(&some, buffers, own);
        }
    }
}

#if defined(K_TILES)
/* ---- tiles ---- */

/* Strips of V_TILES_EDGE columns, with zeros up to a whole step. */
static void pack_strips(const struct int8_item *item, int64_t begin, int64_t terms, int64_t steps,
                        struct work *own)
{
    const struct k_gemm *g = &item->product->gemm;
    const int64_t words = (terms + 3) / 4, strip_words = steps * V_TILE * V_TILES_EDGE;
    if (own->b_block == item->b_block && own->begin == begin) return;
    for (int64_t column = 0; column < item->columns; column += V_TILES_EDGE) {
        uint32_t *to = own->columns + column / V_TILES_EDGE * strip_words;
        const struct int8_strip strip = {
            .from = v_address(item->b, column * g->b.column + begin * g->b.row),
            .across = g->b.column,
            .along = g->b.row,
            .lanes = gemm_min(item->columns - column, V_TILES_EDGE),
            .terms = terms};
        int8_pack(CPU_QUADS, V_TILES_EDGE, &strip, to);
        memset(to + words * V_TILES_EDGE, 0, (size_t)(strip_words - words * V_TILES_EDGE) * 4);
    }
    own->b_block = item->b_block;
    own->begin = begin;
}

/* Rows as tiles read them, where they lie; or a copy: of fewer rows than a tile has, of strides
 * that tiles do not have or caches do not like, of terms that end within a step. */
static const char *rows_of(const struct int8_item *item, int64_t row, int64_t begin, int64_t terms,
                           int64_t *apart, struct work *own)
{
    enum { ALIAS = 2048 }; /* such strides put all rows into a few sets of L1 */
    const struct k_gemm *g = &item->product->gemm;
    const int64_t rows = gemm_min(item->rows - row, V_TILES_EDGE);
    const char *from = v_address(item->a, row * g->a.row + begin * g->a.column);
    char *to = (char *)own->rows;
    *apart = g->a.row;
    if (g->a.column == 1 && terms % TILE_TERMS == 0 && rows % V_TILE == 0 && g->a.row > 0 &&
        g->a.row % ALIAS != 0)
        return from;
    *apart = (terms + TILE_TERMS - 1) / TILE_TERMS * TILE_TERMS;
    if (rows % V_TILE != 0 || terms % TILE_TERMS != 0) memset(to, 0, sizeof own->rows);
    if (g->a.column != 1 && g->a.row == 1)
        transpose_elements(1, from, g->a.column, to, *apart, terms, rows);
    else
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < (g->a.column == 1 ? 1 : terms); j++)
                memcpy(to + i * *apart + j, v_address(from, i * g->a.row + j * g->a.column),
                       g->a.column == 1 ? (size_t)terms : 1);
    return to;
}

static void run_tiles(const struct k_int8 *p, void *const buffers[], struct k_slice slice,
                      struct work *own)
{
    enum { DEPTH = K_GEMM_DEPTH * 4 };
    own->b_block = own->begin = own->factors_of = -1;
    memset(own->less, 0, sizeof own->less);
    v_tiles_begin();
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct int8_item item = int8_item_at(p, buffers, i);
        for (int64_t begin = 0; begin < p->gemm.k; begin += DEPTH) {
            const int64_t terms = gemm_min(p->gemm.k - begin, DEPTH);
            const int64_t steps = (terms + TILE_TERMS - 1) / TILE_TERMS;
            pack_strips(&item, begin, terms, steps, own);
            for (int64_t row = 0, apart; row < item.rows; row += V_TILES_EDGE) {
                const char *a = rows_of(&item, row, begin, terms, &apart, own);
                for (int64_t column = 0; column < item.columns; column += V_TILES_EDGE)
                    v_tiles_multiply(false, item.rows - row, item.columns - column, a, apart,
                                     own->columns + column * steps * V_TILE, steps,
                                     (struct v_tile_sums){own->sums + row * K_GEMM_COLUMNS + column,
                                                          K_GEMM_COLUMNS, begin > 0});
            }
        }
        finish(&item, buffers, own);
    }
    v_tiles_end();
}
#endif

#if defined(K_QUADS)
K_OUTLINE void run_quads(const struct k_int8 *p, void *const buffers[], struct k_slice slice,
                         struct work *own)
{
    run(CPU_QUADS, p, buffers, slice, own);
}
#endif

#if defined(K_EIGHTS)
K_OUTLINE void run_eights(const struct k_int8 *p, void *const buffers[], struct k_slice slice,
                          struct work *own)
{
    run(CPU_EIGHTS, p, buffers, slice, own);
}
#endif

k_fn K_SYMBOL(int8_product_packed), K_SYMBOL(int8_product_tiles);

void K_SYMBOL(int8_product_packed)(const void *parameters, void *const buffers[],
                                   struct k_slice slice)
{
    const struct k_int8 *p = parameters;
    struct work own; /* one for both: a frame each is more than a task's stack under sanitizers */
#if defined(K_QUADS)
    if (p->has_dots) {
        run_quads(p, buffers, slice, &own);
        return;
    }
#endif
    run(EVERY_CPU, p, buffers, slice, &own);
}

#if !defined(K_ISA_base)
void K_SYMBOL(int8_product_tiles)(const void *parameters, void *const buffers[],
                                  struct k_slice slice)
{
#if defined(K_TILES)
    struct work own;
    run_tiles(parameters, buffers, slice, &own);
#elif defined(K_EIGHTS)
    struct work own;
    run_eights(parameters, buffers, slice, &own);
#else
    K_SYMBOL(int8_product_packed)(parameters, buffers, slice); /* no plan of this level has it */
#endif
}
#endif
