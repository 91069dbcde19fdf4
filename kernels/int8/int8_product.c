/* SPDX-License-Identifier: Apache-2.0 */
/* As gemm_packed, with words of two or four terms in place of a float: K_GEMM_DEPTH words of an
 * item's columns are packed at a time, for all of its rows. Where one factor of a dot product is
 * unsigned, the columns are 128 more, and 128 times the sum of each row is taken off. */
#include "kernels/int8/int8_block.h"
#include "kernels/int8/int8_item.h"
#include "kernels/int8/int8_pack.h"

enum { SLACK = 16 * VL }; /* words that may be written behind a strip */

struct work {
    _Alignas(64) uint32_t columns[K_GEMM_DEPTH * K_GEMM_COLUMNS + SLACK]; /* [tile][word][] */
    _Alignas(64) uint32_t panel[K_GEMM_DEPTH * K_GEMM_PANEL + SLACK];     /* [word][row] */
    _Alignas(64) uint32_t sums[K_GEMM_ROWS * K_GEMM_COLUMNS];
    uint32_t less[K_GEMM_ROWS]; /* what the sums of each row have too much */
    struct int8_factors factors;
    int64_t b_block, begin; /* what is in columns; -1: nothing */
    int64_t factors_of;     /* the columns that they are of */
};

struct item {
    const struct k_int8 *product;
    const char *a, *b, *bias; /* bias: of the first column of all */
    char *c;
    int64_t row, column, rows, columns; /* of the matrix */
    int64_t b_block;
};

static struct item item_at(const struct k_int8 *p, void *const buffers[], int64_t number)
{
    const struct k_gemm *g = &p->gemm;
    const struct k_gemm_cut *cut = &g->cut;
    const int64_t row = number % cut->row_blocks * cut->rows, b_block = number / cut->row_blocks;
    const int64_t column = b_block % cut->column_blocks * cut->columns;
    const int64_t batch = b_block / cut->column_blocks;
    struct item item = {.product = p, .row = row, .column = column, .b_block = b_block};
    item.rows = gemm_min(g->m - row, cut->rows);
    item.columns = gemm_min(g->n - column, cut->columns);
    item.a = v_address(buffers[K_INT8_A], gemm_batch_at(g, &g->a, batch) + row * g->a.row);
    item.b = v_address(buffers[K_INT8_B], gemm_batch_at(g, &g->b, batch) + column * g->b.column);
    item.c = (char *)(uintptr_t)v_address(
        buffers[K_INT8_C],
        int8_size(g->c.dtype) * (gemm_batch_at(g, &g->c, batch) + row * g->c.row + column));
    if (g->has_addend)
        item.bias = v_address(buffers[K_INT8_BIAS],
                              int8_size(g->addend.dtype) * gemm_batch_at(g, &g->addend, batch));
    return item;
}

K_TEMPLATE
void pack_columns(bool quads, const struct item *item, int64_t begin, int64_t terms,
                  struct work *own)
{
    const struct k_gemm *g = &item->product->gemm;
    const int each = int8_word_terms(quads);
    const int64_t words = (terms + each - 1) / each;
    if (own->b_block == item->b_block && own->begin == begin) return;
    for (int64_t column = 0; column < item->columns; column += GEMM_COLUMNS) {
        const struct int8_strip strip = {
            .from = v_address(item->b, column * g->b.column + begin * g->b.row),
            .across = g->b.column,
            .along = g->b.row,
            .lanes = gemm_min(item->columns - column, GEMM_COLUMNS),
            .terms = terms,
            .flip = quads && QUADS_BIAS != 0 ? 0x80808080 : 0};
        int8_pack(quads, GEMM_COLUMNS, &strip, own->columns + column * words);
    }
    own->b_block = item->b_block;
    own->begin = begin;
}

/* Adds 128 times the sums of a panel's rows. */
K_TEMPLATE
void add_less(bool quads, const uint32_t *panel, int64_t words, int64_t rows, uint32_t *less)
{
#if defined(K_QUADS)
    if (!quads || QUADS_BIAS == 0) return;
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
void pack_rows(bool quads, const struct item *item, int64_t row, int64_t begin, int64_t terms,
               struct work *own)
{
    const struct k_gemm *g = &item->product->gemm;
    const int each = int8_word_terms(quads);
    const int64_t words = (terms + each - 1) / each;
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
void multiply_terms(bool quads, const struct item *item, int64_t begin, int64_t terms,
                    struct work *own)
{
    const int each = int8_word_terms(quads);
    const int64_t words = (terms + each - 1) / each;
    for (int64_t row = 0; row < item->rows; row += K_GEMM_PANEL) {
        const int64_t rows = gemm_min(item->rows - row, K_GEMM_PANEL);
        pack_rows(quads, item, row, begin, terms, own);
        for (int64_t column = 0; column < item->columns; column += GEMM_COLUMNS)
            int8_multiply(quads, (int)rows, (item->columns - column + VL - 1) / VL, own->panel,
                          own->columns + column * words, words,
                          (struct int8_sums){own->sums + row * K_GEMM_COLUMNS + column,
                                             K_GEMM_COLUMNS, begin > 0});
    }
}

static void finish(const struct item *item, void *const buffers[], struct work *own)
{
    const struct k_int8 *p = item->product;
    const struct k_gemm *g = &p->gemm;
    const int64_t size = int8_size(g->c.dtype);
    if (own->factors_of != item->b_block)
        int8_load_factors(p, buffers, item->bias, item->column, item->columns, &own->factors);
    own->factors_of = item->b_block;
    for (int64_t row = 0; row < item->rows; row++) {
        float token = 1;
        if (p->token.is_there)
            memcpy(&token, v_address(buffers[K_INT8_TOKEN], 4 * (item->row + row) * p->token.step),
                   4);
        int8_finish(p, &own->factors, own->sums + row * K_GEMM_COLUMNS, own->less[row], token,
                    item->columns, item->c + size * row * g->c.row);
    }
}

K_TEMPLATE
void run(bool quads, const struct k_int8 *p, void *const buffers[], struct k_slice slice,
         struct work *own)
{
    const int64_t depth = (int64_t)K_GEMM_DEPTH * int8_word_terms(quads);
    own->b_block = own->begin = own->factors_of = -1;
    for (int64_t i = slice.begin; i < slice.end; i++) {
        const struct item item = item_at(p, buffers, i);
        memset(own->less, 0, sizeof own->less);
        for (int64_t begin = 0; begin < p->gemm.k; begin += depth) {
            const int64_t terms = gemm_min(p->gemm.k - begin, depth);
            pack_columns(quads, &item, begin, terms, own);
            multiply_terms(quads, &item, begin, terms, own);
        }
        finish(&item, buffers, own);
    }
}

#if defined(K_QUADS)
K_OUTLINE void run_quads(const struct k_int8 *p, void *const buffers[], struct k_slice slice,
                         struct work *own)
{
    run(true, p, buffers, slice, own);
}
#endif

k_fn K_SYMBOL(int8_product);

void K_SYMBOL(int8_product)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    const struct k_int8 *p = parameters;
    struct work own; /* one for both: a frame each is more than a task's stack under sanitizers */
#if defined(K_QUADS)
    if (p->has_dots || QUADS_BIAS == 0) {
        run_quads(p, buffers, slice, &own);
        return;
    }
#endif
    run(false, p, buffers, slice, &own);
}
