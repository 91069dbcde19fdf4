/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/moe/k_moe.h"

enum { GRAIN = 1 << 15 }; /* elements worth a thread */

static struct k_work by_rows(int64_t rows, int64_t elements)
{
    return (struct k_work){.items = rows, .grain = GRAIN / (elements + 1) + 1};
}

struct k_work k_moe_gate_plan(const struct k_moe_gate *gate)
{
    return by_rows(gate->rows, 4 * gate->experts);
}

struct k_work k_moe_rows_plan(const struct k_moe_rows *rows)
{
    return by_rows(rows->rows, rows->bytes / 4);
}

struct k_work k_moe_sum_plan(const struct k_moe_sum *sum)
{
    return by_rows(sum->rows, sum->columns * (sum->picks + 1));
}

struct k_work k_moe_grad_plan(const struct k_moe_grad *grad)
{
    return by_rows(grad->sources, grad->columns);
}

struct k_work k_moe_scale_grad_plan(const struct k_moe_grad *grad)
{
    return by_rows(grad->rows * grad->picks, grad->columns);
}
