/* SPDX-License-Identifier: Apache-2.0 */
/* Each item is one of another kernel's products: a block of rows of one group. The table of groups
 * is in the order of the rows, so the group is found by bisection. Blocks of few rows go to the
 * kernels that read the weight once, as those of one product do. */
#include "kernels/gemm/gemm_item.h"
#include "kernels/group/k_group.h"

k_fn K_SYMBOL(gemm_packed), K_SYMBOL(gemm_dots), K_SYMBOL(gemm_sweep), K_SYMBOL(quant_packed),
    K_SYMBOL(quant_dots), K_SYMBOL(int8_product_packed), K_SYMBOL(int8_product_tiles);

enum { DOTS_COLUMNS = 32 }; /* of an item of gemm_dots */

/* Where a block lies: bytes from the first element of each operand. */
struct block {
    int64_t rows, terms;
    int64_t x, y, token, weight; /* weight: its number */
    int64_t term;                /* bytes, of the weight's terms */
};

/* The last group whose blocks begin at `block` or before. */
static int64_t find_group(const struct k_group_range *ranges, int64_t count, int64_t block)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (ranges[middle].blocks <= block)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* What is not there has no rows. */
static void find_rows(const struct k_group *g, const struct k_group_range *ranges, int64_t number,
                      struct block *to)
{
    const int64_t block = ranges[0].blocks + number;
    to->rows = 0;
    if (block >= ranges[g->groups].blocks) return;
    const struct k_group_range *r = ranges + find_group(ranges, g->groups, block);
    if (g->is_one && r->weight != g->only) return;
    const int64_t row = r->begin + (block - r->blocks) * K_GROUP_ROWS;
    const int64_t x = row - (g->x_is_own ? ranges[0].begin : 0);
    const int64_t y = row - (g->y_is_own ? ranges[0].begin : 0);
    *to = (struct block){.rows = gemm_min(r->end - row, K_GROUP_ROWS),
                         .terms = g->gemm.k,
                         .x = x * g->x_step,
                         .y = y * g->y_step,
                         .token = x * g->token_step,
                         .weight = g->is_one ? 0 : r->weight};
}

static void find_terms(const struct k_group *g, const struct k_group_range *ranges, int64_t number,
                       struct block *to)
{
    const struct k_gemm *gemm = &g->gemm;
    const int64_t row_blocks = (gemm->m + K_GROUP_ROWS - 1) / K_GROUP_ROWS;
    const int64_t group = number / row_blocks, row = number % row_blocks * K_GROUP_ROWS;
    const struct k_group_range *r = ranges + group;
    *to = (struct block){.rows = gemm_min(gemm->m - row, K_GROUP_ROWS),
                         .terms = r->end - r->begin,
                         .x = r->begin * g->x_step + row * gemm->a.row * k_size(gemm->a.dtype),
                         .y = group * g->y_step + row * gemm->c.row * k_size(gemm->c.dtype),
                         .term = r->begin * g->term_step};
}

/* Items of `unit` columns that make up column block number `block`. */
static struct k_slice parts(const struct k_gemm *gemm, int64_t block, int64_t unit)
{
    const int64_t columns = gemm->cut.columns;
    return (struct k_slice){block * columns / unit,
                            (gemm_min((block + 1) * columns, gemm->n) + unit - 1) / unit};
}

static void multiply_plain(const struct k_group *group, const struct block *b, int64_t column,
                           void *const buffers[])
{
    struct k_gemm gemm = group->gemm;
    gemm.m = gemm.cut.rows = b->rows;
    gemm.k = b->terms;
#ifndef K_ISA_base
    const bool is_few = gemm.m <= group->few && gemm.k > 0;
    if (is_few && gemm.b.row == 1) {
        const struct k_slice columns = parts(&gemm, column, DOTS_COLUMNS);
        gemm.cut.columns = DOTS_COLUMNS;
        gemm.cut.column_blocks = (gemm.n + DOTS_COLUMNS - 1) / DOTS_COLUMNS;
        K_SYMBOL(gemm_dots)(&gemm, buffers, columns);
        return;
    }
    if (is_few) {
        K_SYMBOL(gemm_sweep)(&gemm, buffers, (struct k_slice){column, column + 1});
        return;
    }
#endif
    K_SYMBOL(gemm_packed)(&gemm, buffers, (struct k_slice){column, column + 1});
}

static void multiply(const struct k_group *g, const struct block *b, int64_t column,
                     void *const buffers[])
{
    const struct k_slice one = {column, column + 1};
    if (g->kind == K_GROUP_PLAIN) {
        multiply_plain(g, b, column, buffers);
    } else if (g->kind == K_GROUP_WHOLE) {
        struct k_int8 product = g->int8;
        product.gemm.m = product.gemm.cut.rows = b->rows;
#ifndef K_ISA_base
        if (g->has_tiles && b->rows >= K_INT8_TILES) {
            K_SYMBOL(int8_product_tiles)(&product, buffers, one);
            return;
        }
#endif
        K_SYMBOL(int8_product_packed)(&product, buffers, one);
    } else {
        struct k_quant product = g->quant;
        product.gemm.m = product.gemm.cut.rows = b->rows;
        if (b->rows <= g->few)
            K_SYMBOL(quant_dots)(&product, buffers, parts(&product.gemm, column, K_QUANT_COLUMNS));
        else
            K_SYMBOL(quant_packed)(&product, buffers, one);
    }
}

static void *at(void *const buffers[], int buffer, int64_t bytes)
{
    return (void *)(uintptr_t)v_address(buffers[buffer], bytes);
}

/* Not inlined: one for all ways, which differ by what the plan says. */
K_OUTLINE void run(const struct k_group *g, void *const buffers[], struct k_slice slice)
{
    const struct k_group_range *ranges =
        (const struct k_group_range *)buffers[K_GROUP_RANGES] + g->first;
    for (int64_t item = slice.begin; item < slice.end; item++) {
        const int64_t number = item / g->column_blocks, column = item % g->column_blocks;
        struct block b;
        if (g->by_terms)
            find_terms(g, ranges, number, &b);
        else
            find_rows(g, ranges, number, &b);
        if (b.rows == 0) continue;
        /* In the order of all three kernels' buffers, as far as they have them. */
        const bool is_apart = g->kind == K_GROUP_WHOLE;
        void *more = at(buffers, K_GROUP_MORE, b.token + (is_apart ? 0 : b.weight * g->offset));
        void *offset = is_apart && g->int8.offset.is_there
                           ? at(buffers, K_GROUP_OFFSET, b.weight * g->offset)
                           : more;
        void *const own[] = {at(buffers, K_GROUP_X, b.x),
                             at(buffers, K_GROUP_WEIGHTS, b.term + b.weight * g->weight),
                             at(buffers, K_GROUP_Y, b.y),
                             g->adds ? at(buffers, K_GROUP_Y, b.y)
                                     : at(buffers, K_GROUP_BIAS, b.weight * g->bias),
                             at(buffers, K_GROUP_SCALE, b.weight * g->scale),
                             more,
                             offset};
        multiply(g, &b, column, own);
    }
}

k_fn K_SYMBOL(group_few), K_SYMBOL(group_tiles), K_SYMBOL(group_packed);

void K_SYMBOL(group_few)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    run(parameters, buffers, slice);
}

#ifndef K_ISA_base
void K_SYMBOL(group_tiles)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    run(parameters, buffers, slice);
}
#endif

void K_SYMBOL(group_packed)(const void *parameters, void *const buffers[], struct k_slice slice)
{
    run(parameters, buffers, slice);
}
