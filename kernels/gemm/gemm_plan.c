/* SPDX-License-Identifier: Apache-2.0 */
/* Which way a product of matrices takes and how it is cut; the same for every number of threads. */
#include <stdlib.h>

#include "kernels/blis/k_blis.h"
#include "kernels/gemm/gemm_few.h"
#include "kernels/gemm/k_gemm.h"
#include "kernels/isa.h"
#include "kernels/way.h"

enum {
    BLIS_COLUMNS = 832, /* of an item, at most, and its rows */
    BLIS_EDGE = 48,     /* rows and columns from which it repays its packing, */
    BLIS_TERMS = 96,    /* and terms */
    BLIS_FEW = 4,       /* items: cut further where one has twice */
    BLIS_SOME_FLOPS = 1 << 24,
    BLIS_MANY_FLOPS = 1 << 28, /* up to ENOUGH items: each packs its rows and columns */
    BLIS_LEAST = 192,          /* rows or columns left by such a cut */
    DOTS_COLUMNS = 32,         /* of an item */
    DOTS_TERMS = 256,         /* from which more than K_GEMM_FEW rows repay adding up their lanes */
    SWEEP_BYTES = 4096,       /* of a row of b, at least: hardware reads ahead within it */
    ENOUGH = 16,              /* items that keep many threads busy */
    ITEM_FLOPS = 2 * 1 << 20, /* of an item, at least, where a product is cut */
    GRAIN = 1 << 20,          /* operations worth a thread */
    TILES_ITEM = 1 << 26,     /* operations of an item by tiles: each packs its columns */
    TILES_LEAST = 8,          /* rows and columns */
};

static int64_t up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

static struct k_gemm_matrix transposed(struct k_gemm_matrix matrix)
{
    const int64_t row = matrix.row;
    matrix.row = matrix.column;
    matrix.column = row;
    return matrix;
}

static struct k_gemm transposed_gemm(const struct k_gemm *gemm)
{
    struct k_gemm other = *gemm;
    other.m = gemm->n, other.n = gemm->m;
    other.a = transposed(gemm->b), other.b = transposed(gemm->a);
    other.c = transposed(gemm->c), other.addend = transposed(gemm->addend);
    return other;
}

struct k_gemm_view k_gemm_view_of(const struct k_gemm *gemm)
{
    if (gemm->cut.is_swapped)
        return (struct k_gemm_view){transposed_gemm(gemm), K_GEMM_B, K_GEMM_A};
    return (struct k_gemm_view){*gemm, K_GEMM_A, K_GEMM_B};
}

/* Ways for few rows take the longer side of c as columns; others the axis along which its elements
 * lie closer, so that they store whole vectors. */
static bool swaps(const struct k_gemm *gemm, bool has_few_rows)
{
    if (has_few_rows) return gemm->n < gemm->m;
    return llabs(gemm->c.row) < llabs(gemm->c.column);
}

static struct k_gemm oriented(const struct k_problem *problem, bool has_few_rows)
{
    const struct k_gemm *gemm = problem->parameters;
    return swaps(gemm, has_few_rows) ? transposed_gemm(gemm) : *gemm;
}

static struct k_work work_of(const struct k_gemm *gemm)
{
    const struct k_gemm_cut *cut = &gemm->cut;
    const double depth = (double)gemm->k + 4;
    const double item = 2 * (double)cut->rows * (double)cut->columns * depth;
    struct k_work work = {.items = cut->row_blocks * cut->column_blocks, .grain = 1};
    for (int axis = 0; axis < K_GEMM_BATCH; axis++)
        work.items *= gemm->batch[axis];
    if (item >= 1 && item < GRAIN) work.grain = (int64_t)(GRAIN / item);
    if (work.grain > work.items && work.items > 0) work.grain = work.items;
    return work;
}

/* Blocks of at most rows by columns, as even as their units allow. */
static void cut_into(struct k_gemm_cut *cut, const struct k_gemm *g, int64_t rows, int64_t row_unit,
                     int64_t columns, int64_t column_unit)
{
    cut->rows = g->m == 0 ? 0 : up(up(g->m, up(g->m, rows)), row_unit) * row_unit;
    cut->columns = g->n == 0 ? 0 : up(up(g->n, up(g->n, columns)), column_unit) * column_unit;
    cut->row_blocks = g->m == 0 ? 0 : up(g->m, cut->rows);
    cut->column_blocks = g->n == 0 ? 0 : up(g->n, cut->columns);
}

/* ---- packed, doubles ---- */

static bool is_f64(const struct k_gemm *gemm)
{
    return gemm->c.dtype == K_F64;
}

/* Halves the longer side of an item until there are enough of them. */
static struct k_work cut_blocks(const struct k_problem *problem, int64_t rows, int64_t columns,
                                int64_t column_unit)
{
    struct k_gemm *gemm = problem->parameters;
    const struct k_gemm g = oriented(problem, false);
    gemm->cut = (struct k_gemm_cut){.is_swapped = swaps(gemm, false)};
    for (;;) {
        cut_into(&gemm->cut, &g, rows, K_GEMM_PANEL, columns, column_unit);
        const struct k_work work = work_of(gemm);
        const double item =
            2 * (double)gemm->cut.rows * (double)gemm->cut.columns * (double)gemm->k;
        if (work.items >= ENOUGH || item < 2.0 * ITEM_FLOPS) return work;
        if (gemm->cut.rows >= gemm->cut.columns && rows > 4 * K_GEMM_PANEL)
            rows = up(gemm->cut.rows, 2);
        else if (columns > 2 * column_unit)
            columns = up(gemm->cut.columns, 2);
        else
            return work;
    }
}

const char *k_gemm_packed_refuses(const struct k_problem *problem)
{
    return is_f64(problem->parameters) ? "f64" : NULL;
}

/* The dot product of pairs serves where nothing but bf16 is multiplied. */
static bool multiplies_pairs(const struct k_problem *problem)
{
    const struct k_gemm *gemm = problem->parameters;
    return gemm->a.dtype == K_BF16 && gemm->b.dtype == K_BF16 && gemm->rounding == K_ROUND_NONE &&
           problem->level == k_best() && k_pairs_bf16();
}

struct k_work k_gemm_packed_plan(const struct k_problem *problem)
{
    struct k_gemm *gemm = problem->parameters;
    const struct k_work work = cut_blocks(problem, K_GEMM_ROWS, K_GEMM_COLUMNS, K_GEMM_TILE);
    gemm->cut.pairs = multiplies_pairs(problem);
    return work;
}

/* Tiles multiply so fast that items of few rows would do nothing but pack. */
struct k_work k_gemm_cut_for_tiles(struct k_gemm *gemm, int64_t rows, struct k_work work)
{
    struct k_gemm_cut *cut = &gemm->cut;
    const double row = 2 * (double)cut->columns * (double)gemm->k;
    if (cut->row_blocks < 2) return work;
    const int64_t others = work.items / cut->row_blocks;
    while (cut->rows < K_GEMM_ROWS && cut->rows < rows && row * (double)cut->rows < TILES_ITEM)
        cut->rows = 2 * cut->rows < K_GEMM_ROWS ? 2 * cut->rows : K_GEMM_ROWS;
    cut->row_blocks = up(rows, cut->rows);
    work.items = others * cut->row_blocks;
    if (work.grain > work.items) work.grain = work.items;
    return work;
}

/* In this order: the last question asks the system for tiles. */
const char *k_gemm_tiles_refuses(const struct k_problem *problem)
{
    const struct k_gemm *g = problem->parameters;
    if (g->a.dtype != K_BF16 || g->b.dtype != K_BF16) return "not bf16";
    if (g->k == 0) return "no terms";
    return multiplies_pairs(problem) && k_tiles_bf16() ? NULL : "no tiles (AMX)";
}

const char *k_gemm_tiles_unwise(const struct k_problem *problem)
{
    const struct k_gemm *g = problem->parameters;
    return g->m < TILES_LEAST || g->n < TILES_LEAST ? "fewer than 8 rows or columns" : NULL;
}

struct k_work k_gemm_tiles_plan(const struct k_problem *problem)
{
    const struct k_gemm g = oriented(problem, false);
    return k_gemm_cut_for_tiles(problem->parameters, g.m, k_gemm_packed_plan(problem));
}

const char *k_gemm_doubles_refuses(const struct k_problem *problem)
{
    return is_f64(problem->parameters) ? NULL : "no f64";
}

struct k_work k_gemm_doubles_plan(const struct k_problem *problem)
{
    return cut_blocks(problem, K_GEMM_ROWS / 2, K_GEMM_COLUMNS / 2, K_GEMM_TILE / 2);
}

/* ---- few rows ---- */

static int64_t bytes_of(enum k_dtype dtype)
{
    return dtype == K_F32 ? 4 : dtype == K_I8 ? 1 : 2;
}

/* Threads by what they read of b, not by operations: memory is what such products wait for. */
static struct k_work cut_columns(const struct k_problem *problem, int64_t rows, int64_t columns)
{
    struct k_gemm *gemm = problem->parameters;
    const struct k_gemm g = oriented(problem, true);
    gemm->cut = (struct k_gemm_cut){.is_swapped = swaps(gemm, true)};
    cut_into(&gemm->cut, &g, rows, 1, columns, 1);
    struct k_work work = work_of(gemm);
    const double bytes = (double)gemm->cut.columns * (double)g.k * (double)bytes_of(g.b.dtype);
    work.grain = bytes < K_GEMM_GRAIN_BYTES ? (int64_t)(K_GEMM_GRAIN_BYTES / (bytes + 1)) + 1 : 1;
    return work;
}

static const char *few_rows_refuse(const struct k_gemm *g, int64_t step, const char *reason)
{
    if (is_f64(g)) return "f64";
    return step != 1 ? reason : NULL;
}

const char *k_gemm_dots_refuses(const struct k_problem *problem)
{
    const struct k_gemm g = oriented(problem, true);
    if (g.m > K_GEMM_DOTS) return "more than 8 rows";
    if (g.m > K_GEMM_FEW && g.k < DOTS_TERMS) return "more than 4 rows of few terms";
    return few_rows_refuse(&g, g.b.row, "columns of b are not contiguous");
}

struct k_work k_gemm_dots_plan(const struct k_problem *problem)
{
    return cut_columns(problem, K_GEMM_DOTS, DOTS_COLUMNS);
}

const char *k_gemm_sweep_refuses(const struct k_problem *problem)
{
    const struct k_gemm g = oriented(problem, true);
    if (g.m > K_GEMM_FEW) return "more than 4 rows";
    return few_rows_refuse(&g, g.b.column, "rows of b are not contiguous");
}

struct k_work k_gemm_sweep_plan(const struct k_problem *problem)
{
    const struct k_gemm g = oriented(problem, true);
    const int64_t least = SWEEP_BYTES / bytes_of(g.b.dtype);
    int64_t columns = up(g.n, ENOUGH);
    if (columns < least) columns = least;
    return cut_columns(problem, K_GEMM_FEW, columns < K_GEMM_SWEEP ? columns : K_GEMM_SWEEP);
}

/* ---- BLIS ---- */

static bool is_ascending(const struct k_gemm_matrix *matrix)
{
    return matrix->row > 0 && matrix->column > 0 && (matrix->row == 1 || matrix->column == 1);
}

const char *k_gemm_blis_refuses(const struct k_problem *problem)
{
    const struct k_gemm *g = problem->parameters;
    const enum k_dtype dtype = g->c.dtype;
    if ((dtype != K_F32 && dtype != K_F64) || g->a.dtype != dtype || g->b.dtype != dtype ||
        g->rounding != K_ROUND_NONE)
        return "not f32 or f64 throughout";
    if (!is_ascending(&g->a) || !is_ascending(&g->b) || !is_ascending(&g->c))
        return "no contiguous axis";
    /* Its sums go to c, where the addend may still be needed. */
    if (g->has_addend && g->addend.row != 0 && g->addend.column != 0) return "addend is a matrix";
    if (g->k == 0) return "no terms";
    return k_blis_is_usable() ? NULL : "no BLIS for this CPU";
}

const char *k_gemm_blis_unwise(const struct k_problem *problem)
{
    const struct k_gemm *g = problem->parameters;
    if (g->m < BLIS_EDGE || g->n < BLIS_EDGE || g->k < BLIS_TERMS) return "too small";
    return NULL;
}

struct k_work k_gemm_blis_plan(const struct k_problem *problem)
{
    struct k_gemm *gemm = problem->parameters;
    const struct k_gemm g = oriented(problem, false);
    gemm->cut = (struct k_gemm_cut){.is_swapped = swaps(gemm, false)};
    int64_t rows = BLIS_COLUMNS, columns = BLIS_COLUMNS;
    for (;;) {
        cut_into(&gemm->cut, &g, rows, 1, columns, 1);
        const struct k_work work = work_of(gemm);
        const int64_t longer =
            gemm->cut.rows > gemm->cut.columns ? gemm->cut.rows : gemm->cut.columns;
        const double item =
            2 * (double)gemm->cut.rows * (double)gemm->cut.columns * (double)gemm->k;
        const double least = work.items < BLIS_FEW ? BLIS_SOME_FLOPS : BLIS_MANY_FLOPS;
        if (work.items >= ENOUGH || longer < 2 * BLIS_LEAST || item < 2 * least) return work;
        *(gemm->cut.rows > gemm->cut.columns ? &rows : &columns) = up(longer, 2);
    }
}
