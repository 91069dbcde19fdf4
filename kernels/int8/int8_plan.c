/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/int8/k_int8.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"
#include "kernels/way.h"

enum { TILES_ITEM = 1 << 26 }; /* operations of an item: each packs its columns */

static struct k_problem problem_of(struct k_int8 *product)
{
    product->has_dots = k_dots_int8();
    return (struct k_problem){.parameters = &product->gemm, .dtype = K_F32, .level = k_best()};
}

/* Tiles multiply so fast that items of few rows would do nothing but pack. */
static struct k_work cut_for_tiles(struct k_gemm *g, struct k_work work)
{
    struct k_gemm_cut *cut = &g->cut;
    const double row = 2 * (double)cut->columns * (double)g->k;
    if (cut->row_blocks < 2) return work;
    const int64_t others = work.items / cut->row_blocks;
    while (cut->rows < K_GEMM_ROWS && cut->rows < g->m && row * (double)cut->rows < TILES_ITEM)
        cut->rows = 2 * cut->rows < K_GEMM_ROWS ? 2 * cut->rows : K_GEMM_ROWS;
    cut->row_blocks = (g->m + cut->rows - 1) / cut->rows;
    work.items = others * cut->row_blocks;
    if (work.grain > work.items) work.grain = work.items;
    return work;
}

struct k_work k_int8_packed_plan(struct k_int8 *product)
{
    const struct k_problem problem = problem_of(product);
    const struct k_work work = k_gemm_packed_plan(&problem);
    product->gemm.cut.pairs = false;
    product->has_tiles = !product->is_four && product->gemm.m >= K_INT8_TILES && k_tiles_int8();
    product->is_few = false;
    return product->has_tiles ? cut_for_tiles(&product->gemm, work) : work;
}

/* A few rows, terms side by side in both factors or columns of b. */
struct k_work k_int8_plan(struct k_int8 *product)
{
    const struct k_gemm *g = &product->gemm;
    const struct k_problem problem = problem_of(product);
    if (g->m > K_GEMM_FEW || g->m > g->n || g->a.column != 1 || (g->b.row != 1 && g->b.column != 1))
        return k_int8_packed_plan(product);
    const struct k_work work =
        g->b.row == 1 ? k_gemm_dots_plan(&problem) : k_gemm_sweep_plan(&problem);
    product->has_tiles = false;
    product->is_few = true;
    return work;
}

struct k_work k_int8_widen_plan(const struct k_int8_widen *widen)
{
    return (struct k_work){.items = (widen->bytes - 1) / K_INT8_WIDEN_BYTES + 1, .grain = 1};
}

struct k_work k_int8_param_plan(const struct k_int8_param *param)
{
    return (struct k_work){.items = param->count, .grain = 1 << 14};
}
