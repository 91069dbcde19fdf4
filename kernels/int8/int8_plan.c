/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/int8/k_int8.h"
#include "kernels/isa.h"
#include "kernels/way.h"

/* A product's first member is its gemm, so gemm's plans serve. */
static void begin(const struct k_problem *problem)
{
    struct k_int8 *product = problem->parameters;
    product->has_dots = k_dots_int8();
}

/* ---- few rows: b is read where it lies ---- */

static const char *few_rows_refuse(const struct k_int8 *product, int64_t step, const char *reason)
{
    const struct k_gemm *g = &product->gemm;
    if (product->is_four) return "INT4";
    if (g->m > K_GEMM_FEW) return "more than 4 rows";
    if (g->m > g->n) return "more rows than columns";
    if (g->a.column != 1) return "rows of a are not contiguous";
    return step != 1 ? reason : NULL;
}

const char *k_int8_dots_refuses(const struct k_problem *problem)
{
    const struct k_int8 *p = problem->parameters;
    return few_rows_refuse(p, p->gemm.b.row, "columns of b are not contiguous");
}

const char *k_int8_sweep_refuses(const struct k_problem *problem)
{
    const struct k_int8 *p = problem->parameters;
    return few_rows_refuse(p, p->gemm.b.column, "rows of b are not contiguous");
}

struct k_work k_int8_dots_plan(const struct k_problem *problem)
{
    begin(problem);
    return k_gemm_dots_plan(problem);
}

struct k_work k_int8_sweep_plan(const struct k_problem *problem)
{
    begin(problem);
    return k_gemm_sweep_plan(problem);
}

/* ---- packed ---- */

/* In this order: the last question asks the system for tiles. */
const char *k_int8_tiles_refuses(const struct k_problem *problem)
{
    const struct k_int8 *p = problem->parameters;
    if (p->is_four) return "INT4";
    if (p->gemm.m < K_INT8_TILES) return "fewer than 8 rows";
    return problem->level == k_best() && k_tiles_int8() ? NULL : "no tiles (AMX, SMMLA)";
}

struct k_work k_int8_tiles_plan(const struct k_problem *problem)
{
    begin(problem);
    struct k_int8 *product = problem->parameters;
    return k_gemm_cut_for_tiles(&product->gemm, product->gemm.m, k_gemm_packed_plan(problem));
}

struct k_work k_int8_packed_plan(const struct k_problem *problem)
{
    begin(problem);
    return k_gemm_packed_plan(problem);
}

struct k_work k_int8_widen_plan(const struct k_int8_widen *widen)
{
    return (struct k_work){.items = (widen->bytes - 1) / K_INT8_WIDEN_BYTES + 1, .grain = 1};
}

struct k_work k_int8_param_plan(const struct k_int8_param *param)
{
    return (struct k_work){.items = param->count, .grain = 1 << 14};
}
