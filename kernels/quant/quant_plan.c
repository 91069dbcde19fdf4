/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/gemm/gemm_few.h"
#include "kernels/quant/k_gate_rows.h"
#include "kernels/quant/k_quant.h"
#include "kernels/quant/k_quantize.h"
#include "kernels/way.h"

const char *k_quant_dots_refuses(const struct k_problem *problem)
{
    const struct k_quant *q = problem->parameters;
    if (q->row != 1) return "columns of the weight are not contiguous";
    return q->is_four && q->column % 2 != 0 && q->gemm.n != 1 ? "columns begin within a byte"
                                                              : NULL;
}

const char *k_quant_dots_unwise(const struct k_problem *problem)
{
    const struct k_quant *q = problem->parameters;
    return q->gemm.m > K_QUANT_FEW ? "more than 16 rows" : NULL;
}

struct k_work k_quant_dots_plan(const struct k_problem *problem)
{
    const struct k_quant *q = problem->parameters;
    const int64_t bytes = q->gemm.k * K_QUANT_COLUMNS / (q->is_four ? 2 : 1);
    return (struct k_work){.items = (q->gemm.n + K_QUANT_COLUMNS - 1) / K_QUANT_COLUMNS,
                           .grain = K_GEMM_GRAIN_BYTES / (bytes + 1) + 1};
}

struct k_work k_quant_packed_plan(const struct k_problem *problem)
{
    struct k_quant *q = problem->parameters; /* its first member is the product */
    const struct k_work work = k_gemm_packed_plan(problem);
    q->gemm.cut.pairs = false;
    return work;
}

struct k_work k_gate_rows_plan(const struct k_gate_rows *g)
{
    return (struct k_work){.items = g->rows, .grain = 4096 / (g->columns + 1) + 1};
}

struct k_work k_quantize_plan(const struct k_quantize *q)
{
    return (struct k_work){.items = q->rows, .grain = 16384 / (q->columns + 1) + 1};
}
